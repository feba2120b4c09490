import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { askJson, NDJSON_BODY } from './ask.ts';
import { SLUG } from './fault-source.ts';
import { type PostedState, postedState } from './fault-states.ts';
import { until } from './until.ts';

/** Every event but a deletion has a complete state. No two have the same length: it identifies the event in the log. */
export interface PostedEvent extends Partial<PostedState> {
  readonly location: { readonly type: 'rel_path'; readonly value: string };
  readonly change: 'created' | 'updated' | 'deleted';
  readonly source: string;
  readonly position: number;
}

export interface Answered {
  readonly status: 'applied' | 'unchanged' | 'rejected';
  readonly change?: string;
  readonly datetime?: string;
  readonly reason?: string;
}

export interface SentEvent {
  readonly event: PostedEvent;
  /** Events of one small request share it. */
  readonly request: number;
  /** Undefined when no answer came. */
  answer: Answered | undefined;
}

const EVENTS_PER_CLIENT = 1_000_000;

/** A client that posts until the server has ended, or it is stopped, and remembers all responses. */
export abstract class Client {
  readonly sent: SentEvent[] = [];
  /** How often it was asked to retry. */
  refused = 0;
  readonly #number: number;
  #random: number;

  readonly #keys: number;

  /**
   * @param number no two clients of a source have the same
   * @param keys how many resources it posts, the same as every client
   */
  constructor(number: number, keys = 400) {
    this.#number = number;
    this.#keys = keys;
    this.#random = number * 0x9e3779b1;
  }

  /** Posts to a server until that has ended. Continues where it was when it is called for another server. */
  async post(serverUrl: string, stop: AbortSignal): Promise<void> {
    try {
      await this.postUntil(`${serverUrl}/api/sets/${SLUG}/changes`, stop);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Posts everything once more, in a few requests. What was answered before is a repetition now. */
  async repost(serverUrl: string): Promise<void> {
    for (let at = 0; at < this.sent.length; at += 500) {
      const sent = this.sent.slice(at, at + 500);
      const results = await this.postPatiently(`${serverUrl}/api/sets/${SLUG}/changes`, sent);
      for (const [at, { event, answer }] of sent.entries()) {
        if (answer !== undefined) assert.equal(results[at]?.reason, 'repeated', JSON.stringify({ event, answer }));
      }
    }
  }

  /** How many of its events were answered. */
  get answers(): number {
    return this.sent.filter(({ answer }) => answer !== undefined).length;
  }

  protected abstract postUntil(url: string, stop: AbortSignal): Promise<void>;

  /**
   * Posts the same again until it is taken: where another process holds the store, or the machine is paused, a
   * server says that it is to be asked again.
   */
  protected postPatiently(url: string, sent: readonly SentEvent[]): Promise<readonly Answered[]> {
    return until('what is posted is taken', () => this.ask(url, sent));
  }

  /** Posts once. Returns undefined when it was asked to retry. */
  protected async ask(url: string, sent: readonly SentEvent[]): Promise<readonly Answered[] | undefined> {
    const { status, headers, body } = await askJson(url, { changes: sent.map(({ event }) => event) });
    if (status === 200) return body.results;
    this.refused += 1;
    // It slept since before the head of this request came, and looks how late heads are before it reads them.
    if (status === 408) return undefined;
    assert.equal(status, 503, JSON.stringify(body));
    assert.ok(Number(headers['retry-after']) > 0, 'it says when to come again');
    return undefined;
  }

  /** The next events to send, one in five a deletion; all clients post the same resources. */
  next(count: number, request: number): readonly SentEvent[] {
    const events = Array.from({ length: count }, () => ({ event: this.#nextEvent(), request, answer: undefined }));
    for (const event of events) this.sent.push(event);
    return this.sent.slice(-count);
  }

  protected random(below: number): number {
    // Numbers in an order that is random and always the same (xorshift32).
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return (this.#random >>> 0) % below;
  }

  #nextEvent(): PostedEvent {
    this.#position += 1;
    const position = this.#position;
    const location = { type: 'rel_path', value: `k${this.random(this.#keys)}` } as const;
    const event = { location, source: `client-${this.#number}`, position };
    if (this.random(5) === 0) return { ...event, change: 'deleted' };
    return { ...event, change: 'updated', ...postedState(this.#number * EVENTS_PER_CLIENT + position) };
  }

  #position = 0;
}

/** Posts a few events at a time, and waits for the answer. */
export class SmallRequests extends Client {
  readonly #pause: number;
  #requests = 0;

  /** @param pause milliseconds between two requests */
  constructor(number: number, { keys, pause = 0 }: { readonly keys?: number; readonly pause?: number } = {}) {
    super(number, keys);
    this.#pause = pause;
  }

  protected async postUntil(url: string, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.postOnce(url, 1 + this.random(4));
      if (this.#pause > 0) await wait(this.#pause);
    }
  }

  /** Posts so many events in one request. */
  async postOnce(url: string, count: number): Promise<void> {
    this.#requests += 1;
    const sent = this.next(count, this.#requests);
    const results = await this.postPatiently(url, sent);
    for (const [at, event] of sent.entries()) event.answer = results[at];
  }
}

/** Milliseconds: several clients that never pause keep a small machine from everything else. */
const PAUSE_MS = 25;

/** Posts a few events at a time, and the same ones again while the store is not available. */
export class PatientRequests extends Client {
  readonly #pauseMs: number;
  #requests = 0;

  /** @param pauseMs how long it waits between two requests beyond what all of them do */
  constructor(number: number, { pauseMs = 0, keys }: { readonly pauseMs?: number; readonly keys?: number } = {}) {
    super(number, keys);
    this.#pauseMs = PAUSE_MS + pauseMs;
  }

  /** Waits until some more events than these were answered. */
  answersFrom(answers: number): Promise<boolean> {
    return until('it is answered', async () => this.answers > answers + 5);
  }

  protected async postUntil(url: string, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      this.#requests += 1;
      const sent = this.next(1 + this.random(4), this.#requests);
      let results = await this.ask(url, sent);
      while (results === undefined && !stop.aborted) {
        await wait(100);
        results = await this.ask(url, sent);
      }
      for (const [at, event] of sent.entries()) event.answer = results?.[at];
      await wait(this.#pauseMs);
    }
  }
}

interface StreamLine extends Answered {
  readonly number?: number;
  /** In the last one. */
  readonly complete?: boolean;
  readonly error?: { readonly code: string };
}

/** Posts one long stream, and reads the results meanwhile. */
export class LongStream extends Client {
  readonly #pause: number;

  /** @param pause milliseconds between ten events and the next ten */
  constructor(number: number, { pause = 10 }: { readonly pause?: number } = {}) {
    super(number);
    this.#pause = pause;
  }

  protected async postUntil(url: string, stop: AbortSignal): Promise<void> {
    // What a server did not take that said to come again is the beginning of another stream.
    while (!(await this.#postStream(url, stop))) await wait(100);
  }

  /** Returns whether all of it was taken. */
  async #postStream(url: string, stop: AbortSignal): Promise<boolean> {
    const posting = request(`${url}?results=all`, { method: 'POST', headers: NDJSON_BODY, agent: false });
    // Known from the answer; a request that fails without one is reported to `once` below.
    posting.on('error', () => {});
    let isOver = false;
    const before = this.sent.findLastIndex(({ answer }) => answer !== undefined) + 1;
    const answered = this.#readResults(posting, before).finally(() => {
      isOver = true;
    });
    // It is awaited below; until then a failure is not unhandled.
    answered.catch(() => {});
    let events: readonly SentEvent[] = this.sent.slice(before);
    while (!isOver && !posting.destroyed) {
      const lines = events.map(({ event }) => `${JSON.stringify(event)}\n`);
      if (lines.length > 0 && !posting.write(lines.join(''))) await Promise.race([once(posting, 'drain'), answered]);
      if (stop.aborted) break;
      await wait(this.#pause);
      events = this.next(10, 0);
    }
    posting.end();
    return await answered;
  }

  async #readResults(posting: ClientRequest, before: number): Promise<boolean> {
    const [response] = (await once(posting, 'response')) as [IncomingMessage];
    let text = '';
    let last: StreamLine | undefined;
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (text + chunk).split('\n');
      // What comes last may be cut off: then it is ignored.
      text = lines.pop()!;
      for (const line of lines) {
        last = JSON.parse(line) as StreamLine;
        if (last.number !== undefined) this.#noteAnswer(last, before);
      }
    }
    if (last?.complete) return true;
    // Refused from the beginning, it is not a stream.
    last ??= JSON.parse(text) as StreamLine;
    assert.match(String(last.error?.code), /^(unavailable|not-ready|idle)$/, JSON.stringify(last));
    this.refused += 1;
    return false;
  }

  #noteAnswer({ number, ...answer }: StreamLine, before: number): void {
    this.sent[before + number! - 1]!.answer = answer;
  }
}

/** Waits until every client was answered some more events; fails as soon as their work does. */
export async function untilServed(what: string, clients: readonly Client[], working: Promise<unknown>): Promise<void> {
  const before = clients.map(({ answers }) => answers);
  const areServed = async () => clients.every(({ answers }, at) => answers > before[at]! + 5);
  await Promise.race([working, until(what, areServed)]);
}

/** Whether the server went away, or was killed while it answered. */
export function isGone(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code ?? '') || message === 'aborted';
}
