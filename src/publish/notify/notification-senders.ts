import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import { backoffMs } from '../../lib/calls/retry.ts';
import { topicLinks } from '../topics.ts';
import type { CallbackAnswer, CallbackClient } from './callback-client.ts';
import type { Channel, Notification } from './channel.ts';
import type { SendingProgress } from './sender-lease.ts';

/** Milliseconds to wait after a payload was sent: changes in this time are sent together. */
const GATHERING_MS = 400;
/** Milliseconds to wait until a subscription is ended whose subscriber may no longer read its topic. */
const REFUSED_MS = 500;
const BACKOFF = { firstMs: 1_000, longestMs: 600_000 };
const GONE = 410;

export type SendOutcome = 'sent' | 'failed' | 'gone';

interface SenderOptions {
  readonly channel: Channel;
  readonly progress: SendingProgress;
  readonly client: CallbackClient;
  readonly callback: string;
  /** The current secret for signing requests: a renewal may change it. */
  secret(): string | undefined;
  hub(): Promise<string>;
  /** Whether the subscriber may still read the topic. */
  isAdmitted(): Promise<boolean>;
  /**
   * The subscriber answered 410: the subscription no longer exists. Without this, as for the hub of another server, 410
   * is a failure like others.
   */
  onGone?(): Promise<void>;
  onOutcome(outcome: SendOutcome, seconds: number): void;
}

/**
 * Sends one subscriber everything that it has not received yet: in order, one request at a time, repeating each part
 * until it is accepted.
 */
class NotificationSender {
  readonly #options: SenderOptions;
  readonly #stopping = new AbortController();
  #progress: SendingProgress;
  #oldest: Stamp | undefined;
  /** Resolves when nothing is sent any more. Never rejects. */
  readonly ended: Promise<void>;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#progress = options.progress;
    this.ended = this.#run();
  }

  get progress(): SendingProgress {
    return this.#progress;
  }

  /** The stamp of the oldest change that was read but not sent yet. */
  get oldestUnsent(): Stamp | undefined {
    return this.#oldest;
  }

  /** Sends nothing more: a request that is under way is aborted. */
  abort(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { channel, isAdmitted, onGone } = this.#options;
    for (let troubles = 0; !signal.aborted; ) {
      try {
        const part = await channel.next(this.#progress.through);
        this.#oldest = part?.oldest;
        if (part === undefined) await channel.news(signal);
        // Checked after reading the changes: changes of a set that has become private by then are not sent.
        else if (!(await isAdmitted())) await this.#pause(REFUSED_MS);
        else if ((await this.#send(part, signal)) === 'gone') return await onGone?.();
        troubles = 0;
      } catch (error) {
        // The set was removed: the subscription ends when its lifecycle notices that.
        if (isTidemarkError(error, 'not-found')) return;
        troubles += 1;
        await this.#pause(backoffMs(troubles, { firstMs: 500, longestMs: 5_000 }));
      }
    }
  }

  async #send({ topic, body, until }: Notification, signal: AbortSignal): Promise<SendOutcome> {
    const { client, callback, channel, onGone, onOutcome } = this.#options;
    const began = performance.now();
    const answer = await client.send(callback, {
      method: 'POST',
      headers: await this.#headers(topic, body),
      body,
      signal,
    });
    if (signal.aborted) return 'failed';
    const problem = problemOf(answer);
    const isGone = onGone !== undefined && 'status' in answer && answer.status === GONE;
    const outcome = problem === undefined ? 'sent' : isGone ? 'gone' : 'failed';
    onOutcome(outcome, (performance.now() - began) / 1000);
    const { since, sent, failures = 0 } = this.#progress;
    if (outcome === 'sent') {
      channel.sent?.();
      this.#progress = { since, through: Math.max(until, this.#progress.through), sent: Date.now() };
      this.#oldest = undefined;
      await this.#pause(GATHERING_MS);
    }
    if (outcome === 'failed') {
      this.#progress = { ...this.#progress, sent, failures: failures + 1, problem };
      await this.#pause(backoffMs(failures + 1, BACKOFF));
    }
    return outcome;
  }

  async #headers(topic: string, body: Buffer): Promise<Readonly<Record<string, string>>> {
    const { secret, hub } = this.#options;
    const key = secret();
    return {
      'Content-Type': 'application/xml',
      Link: topicLinks(await hub(), topic),
      // WebSub, 7.1.
      ...(key !== undefined && { 'X-Hub-Signature': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` }),
    };
  }

  async #pause(milliseconds: number): Promise<void> {
    await wait(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

/** WebSub, 7: every status except 2xx is a failure, including redirects. */
function problemOf(answer: CallbackAnswer): string | undefined {
  if ('failure' in answer) return answer.failure;
  return answer.status >= 200 && answer.status < 300 ? undefined : `it answers with the status ${answer.status}`;
}

/** To whom notifications are sent, and which ones. */
export interface Receiver extends Omit<SenderOptions, 'progress' | 'onOutcome'> {
  /** The boundary above which notifications are sent to a new receiver. */
  readonly since: Stamp;
}

interface Parts extends Pick<SenderOptions, 'onOutcome'> {
  /** The progress of receivers when this process started to send. */
  readonly known: Readonly<Record<string, SendingProgress>>;
}

/** The running senders, each with an id of its receiver: any text. */
export class NotificationSenders {
  readonly #parts: Parts;
  readonly #running = new Map<string, { readonly since: Stamp; readonly sender: NotificationSender }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get oldestUnsent(): Stamp | undefined {
    const all = [...this.#running.values()].flatMap(({ sender }) => sender.oldestUnsent ?? []);
    return all.length === 0 ? undefined : Math.min(...all);
  }

  progress(): Readonly<Record<string, SendingProgress>> {
    return Object.fromEntries([...this.#running].map(([id, { sender }]) => [id, sender.progress]));
  }

  /** Whether the receiver has a sender. @param since the boundary above which notifications are sent to it */
  has(id: string, since?: Stamp): boolean {
    const running = this.#running.get(id);
    return running !== undefined && (since === undefined || running.since === since);
  }

  /** Starts to send to a receiver, or continues where another process stopped. */
  start(id: string, { since, ...receiver }: Receiver): void {
    this.end(id);
    const { known, onOutcome } = this.#parts;
    const progress = known[id]?.since === since ? known[id] : { since, through: since };
    const sender = new NotificationSender({ ...receiver, progress, onOutcome });
    this.#running.set(id, { since, sender });
    const close = () => receiver.channel.close?.();
    sender.ended.then(close, close);
  }

  end(id: string): void {
    this.#running.get(id)?.sender.abort();
    this.#running.delete(id);
  }

  /** Resolves when nothing is sent any more. The progress can still be read then. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { sender } of running) sender.abort();
    await Promise.all(running.map(({ sender }) => sender.ended));
  }
}
