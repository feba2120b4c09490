import type { Consumer, Message } from '@platformatic/kafka';
import { isTidemarkError } from '../../core/errors.ts';
import { pauseAfter } from '../../lib/calls/retry.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { clientOptions, type KafkaPlace, kafkaAway, makeTopics, topicsOf } from './kafka-client.ts';

/** Members of this group share the requests. */
const GROUP = 'tidemark-ingest-fileset';
const BACKOFF = { firstMs: 500, longestMs: 30_000 };
/** A member that is killed keeps its partitions for so long. */
const SESSION_MS = 6_000;
const STOP_MS = 10_000;

type StringConsumer = Consumer<string, string, string, string>;
type RequestMessage = Message<string, string, string, string>;

interface RequestEvents {
  /** A message that is no request, or is refused: it is skipped. `place` is `TOPIC/PARTITION/OFFSET`. */
  onSkipped(place: string, reason: string): void;
  /** Kafka or the store does not answer; called once until messages are read again. */
  onTrouble(error: Error): void;
  onRecovered(): void;
}

interface RequestsOptions {
  readonly place: KafkaPlace;
  /**
   * Records a request durably, also one that was recorded before.
   * @throws TidemarkError `invalid` for one that is refused; others may pass
   */
  add(request: unknown): Promise<void>;
  readonly events: RequestEvents;
}

/**
 * Reads requests from the topic `sandcrawler-ENV.ingest-fileset-requests` (D31), which it makes when it is missing. The
 * offset of a message is committed when the request is recorded: after a kill, it is read again. Any number of
 * processes may do so; they share the partitions (D33).
 */
export class KafkaRequests {
  readonly #options: RequestsOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #failures = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Resolves when the last request is recorded, after 10 seconds at most: a broker may not answer. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await withTimeout(this.#loop, STOP_MS, () => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#consume();
      } catch (error) {
        if (signal.aborted) return;
        this.#trouble(isTidemarkError(error) ? error : kafkaAway(error, this.#options.place));
        await pauseAfter(this.#failures, BACKOFF, signal).catch(() => {});
      }
    }
  }

  async #consume(): Promise<void> {
    const { place } = this.#options;
    const { requests } = topicsOf(place);
    await makeTopics(place, [requests], { keepsAll: false });
    const { Consumer, stringDeserializers } = await import('@platformatic/kafka');
    const consumer: StringConsumer = new Consumer({
      ...clientOptions(place),
      groupId: GROUP,
      autocommit: false,
      sessionTimeout: SESSION_MS,
      heartbeatInterval: SESSION_MS / 6,
      maxWaitTime: 1_000,
      deserializers: stringDeserializers,
    });
    try {
      await this.#read(consumer, requests);
    } finally {
      await consumer.close(true).catch(() => {});
    }
  }

  async #read(consumer: StringConsumer, topic: string): Promise<void> {
    const { signal } = this.#stopping;
    const stream = await consumer.consume({ topics: [topic], mode: 'committed', fallbackMode: 'earliest' });
    const stop = () => stream.close().catch(() => {});
    signal.addEventListener('abort', stop);
    try {
      if (signal.aborted) return;
      this.#recovered();
      for await (const message of stream) {
        await this.#take(message);
        await message.commit();
        if (signal.aborted) return;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** @throws TidemarkError when it could not be recorded: it is read again */
  async #take({ topic, partition, offset, value }: RequestMessage): Promise<void> {
    const { add, events } = this.#options;
    const place = `${topic}/${partition}/${offset}`;
    try {
      await add(JSON.parse(value ?? ''));
    } catch (error) {
      if (error instanceof SyntaxError) events.onSkipped(place, `it is not JSON: ${error.message}`);
      else if (isTidemarkError(error, 'invalid')) events.onSkipped(place, error.message);
      else throw error;
    }
  }

  #trouble(error: Error): void {
    this.#failures += 1;
    if (this.#failures === 1) this.#options.events.onTrouble(error);
  }

  #recovered(): void {
    if (this.#failures > 0) this.#options.events.onRecovered();
    this.#failures = 0;
  }
}
