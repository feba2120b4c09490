import type { ChangeEvent } from '../core/change.ts';
import { MAX_LINE_BYTES, type NdjsonLine, NdjsonLines } from '../lib/ndjson-lines.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import { isRejection, type PostedTo, parsePostedEvent } from './posted-event.ts';
import type { Rejection } from './rejection.ts';

/** The result of one posted event. */
export type PostingResult = CommitResult | Rejection;

export interface LineResult {
  /** The number of its line; the first is 1. */
  readonly number: number;
  readonly result: PostingResult;
}

export interface Posting extends PostedTo {
  /** Resolves when the events are committed; see Updater.post. */
  post(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]>;
  /** Called for each event that is rejected before it is posted. */
  rejected?(rejection: Rejection, event: PostedValue): void;
}

export interface PostedValue {
  /** The number of the event, or of its line; the first is 1. */
  readonly number: number;
  /** The posted event, or the text of its line; undefined when it cannot be read. */
  readonly value: unknown;
}

// A batch makes one commit of the updater; the events read meanwhile make the next.
const EVENTS_PER_BATCH = 2000;
/** The most weight of the entries of a batch: events with thousands of links are posted a few at a time. */
const WEIGHT_PER_BATCH = 4 * 1024 * 1024;
/**
 * The most batches of a stream waiting to be committed; then reading pauses. Several streams share what fills two
 * commits.
 */
const MOST_IN_FLIGHT = { ofOne: 5, ofAll: 12, least: 2 };
/**
 * Milliseconds without input after which a batch that is not full is posted, so that an interactive client gets
 * answers.
 */
const PAUSE = 10;
/** Milliseconds after which it is posted even while input still arrives. */
const MOST_DELAY = 50;

const LINE_PROBLEMS = {
  'line-too-long': `a line has at most ${MAX_LINE_BYTES} bytes`,
  'not-utf-8': 'the line is not UTF-8',
} as const;

/**
 * Posts the events of a stream, one JSON object a line, and yields their results: in order, as batches, while the
 * stream is still being read. An invalid line does not affect the others. Memory is bounded: reading pauses while the
 * caller does not take results. When the input fails, events not yet posted are dropped; a last line without a newline
 * counts only when the input ended well.
 * @throws what the input or `post` threw, after the results that are known
 */
export async function* postNdjson(
  input: AsyncIterable<Buffer>,
  posting: Posting,
): AsyncGenerator<readonly LineResult[], void, undefined> {
  const pipeline = new Pipeline(posting);
  const reading = pipeline.read(input);
  // It is awaited below, after the results before it were yielded.
  reading.catch(() => {});
  try {
    for (let results = await pipeline.next(); results !== undefined; results = await pipeline.next()) yield results;
    await reading;
  } finally {
    pipeline.stop();
  }
}

/** A batch that was posted and one that is being gathered. */
class Batch {
  readonly begun = performance.now();
  readonly events: ChangeEvent[] = [];
  readonly #numbers: number[] = [];
  /** Lines that were rejected without the store, by index in the batch. */
  readonly #rejected = new Map<number, Rejection>();

  #weight = 0;

  get size(): number {
    return this.#numbers.length;
  }

  get isFull(): boolean {
    return this.size >= EVENTS_PER_BATCH || this.#weight >= WEIGHT_PER_BATCH;
  }

  add(number: number, event: ChangeEvent | Rejection): void {
    if (isRejection(event)) this.#rejected.set(this.#numbers.length, event);
    else {
      this.events.push(event);
      this.#weight += event.weight;
    }
    this.#numbers.push(number);
  }

  async post(posting: Posting): Promise<readonly LineResult[]> {
    const committed = await posting.post(this.events);
    let next = 0;
    return this.#numbers.map((number, at) => ({ number, result: this.#rejected.get(at) ?? committed[next++]! }));
  }
}

class Pipeline {
  /** How many are being read. */
  static #reading = 0;
  readonly #posting: Posting;
  readonly #inFlight: Promise<readonly LineResult[]>[] = [];
  #batch = new Batch();
  #lastInput = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #stopped = false;
  #wake: () => void = () => {};

  constructor(posting: Posting) {
    this.#posting = posting;
  }

  /** Reads to the end. Rejects when the input fails. */
  async read(input: AsyncIterable<Buffer>): Promise<void> {
    const lines = new NdjsonLines();
    Pipeline.#reading += 1;
    try {
      for await (const chunk of input) {
        await this.#take(lines.push(chunk));
        if (this.#stopped) return;
      }
      await this.#take(lines.end());
      if (!this.#stopped) this.#dispatch();
    } finally {
      Pipeline.#reading -= 1;
      this.#ended = true;
      clearTimeout(this.#timer);
      this.#wake();
    }
  }

  /** The results of the next batch; undefined when the input ended and all results were yielded. */
  async next(): Promise<readonly LineResult[] | undefined> {
    while (this.#inFlight.length === 0) {
      if (this.#ended) return undefined;
      await this.#change();
    }
    const results = await this.#inFlight[0]!;
    this.#inFlight.shift();
    this.#wake();
    return results;
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#wake();
  }

  get #hasRoom(): boolean {
    const { ofOne, ofAll, least } = MOST_IN_FLIGHT;
    return this.#inFlight.length < Math.max(least, Math.min(ofOne, Math.floor(ofAll / Pipeline.#reading)));
  }

  async #take(lines: readonly NdjsonLine[]): Promise<void> {
    const now = Date.now();
    this.#lastInput = performance.now();
    for (const line of lines) {
      if (this.#batch.size === 0) this.#batch = new Batch();
      const event = parseLine(line, this.#posting, now);
      if (isRejection(event)) {
        this.#posting.rejected?.(event, { number: line.number, value: 'text' in line ? line.text : undefined });
      }
      this.#batch.add(line.number, event);
      if (!this.#batch.isFull) continue;
      while (!this.#hasRoom && !this.#stopped) await this.#change();
      if (this.#stopped) return;
      this.#dispatch();
    }
    if (this.#batch.size > 0) this.#timer ??= setTimeout(() => this.#flush(), PAUSE);
  }

  /** Posts a batch that is not full when the input pauses. */
  #flush(): void {
    const now = performance.now();
    const due = now - this.#lastInput >= PAUSE - 1 || now - this.#batch.begun >= MOST_DELAY;
    if (due && this.#hasRoom) this.#dispatch();
    else this.#timer?.refresh();
  }

  #dispatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.size === 0) return;
    const results = this.#batch.post(this.#posting);
    // It is awaited later, in order; until then its rejection must not count as unhandled.
    results.catch(() => {});
    this.#inFlight.push(results);
    this.#batch = new Batch();
    this.#wake();
  }

  /** Resolves when something was dispatched or given out, or the input ended. Reader and taker never wait at once. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        this.#wake = () => {};
        others();
        resolve();
      };
    });
  }
}

function parseLine(line: NdjsonLine, posting: PostedTo, now: number): ChangeEvent | Rejection {
  if (line.problem !== undefined) {
    return { status: 'rejected', code: line.problem, message: LINE_PROBLEMS[line.problem] };
  }
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    return { status: 'rejected', code: 'not-json', message: `the line is not JSON: ${(error as Error).message}` };
  }
  return parsePostedEvent(value, posting, now);
}
