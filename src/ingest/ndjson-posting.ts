import { MAX_LINE_BYTES, type NdjsonLine, NdjsonLines } from '../lib/bytes/ndjson-lines.ts';
import { isRejection, type PostedTo } from './posted-event.ts';
import { type ParsedEvent, type Posting, type PostingResult, parseEvent } from './posting.ts';

export interface LineResult {
  /** The number of its line; the first is 1. */
  readonly number: number;
  readonly result: PostingResult;
}

// A batch makes one commit of the updater; the events read meanwhile make the next.
const EVENTS_PER_BATCH = 2000;
/** The most weight of the entries of a batch: events with thousands of links are posted a few at a time. */
const WEIGHT_PER_BATCH = 4 * 1024 * 1024;
/**
 * The most batches that wait to be committed; reading then pauses. The streams of a process share a limit that fills
 * two commits.
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
  readonly #events: ParsedEvent[] = [];
  #weight = 0;

  get size(): number {
    return this.#events.length;
  }

  get isFull(): boolean {
    return this.size >= EVENTS_PER_BATCH || this.#weight >= WEIGHT_PER_BATCH;
  }

  add(parsed: ParsedEvent): void {
    const { event, location = '' } = parsed;
    this.#events.push(parsed);
    this.#weight += isRejection(event) ? location.length : event.weight;
  }

  async post(posting: Posting): Promise<readonly LineResult[]> {
    const results = await posting.post(this.#events);
    return this.#events.map(({ number }, at) => ({ number, result: results[at]! }));
  }
}

class Pipeline {
  /** Number of streams that are being read. */
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
    this.#lastInput = performance.now();
    for (const line of lines) {
      if (this.#batch.size === 0) this.#batch = new Batch();
      this.#batch.add(parseLine(line, this.#posting));
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
    // The error is awaited later, in order; until then the rejection must not count as unhandled.
    results.catch(() => {});
    this.#inFlight.push(results);
    this.#batch = new Batch();
    this.#wake();
  }

  /**
   * Resolves when a batch was dispatched or returned, or the input ended. Only one caller waits at a time: the reader
   * while several batches are in progress, the consumer while none is.
   */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function parseLine(line: NdjsonLine, to: PostedTo): ParsedEvent {
  const { number, problem } = line;
  if (problem !== undefined) return rejectedLine(number, problem, LINE_PROBLEMS[problem]);
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    return rejectedLine(number, 'not-json', `the line is not JSON: ${(error as Error).message}`);
  }
  return parseEvent(number, value, to);
}

function rejectedLine(number: number, code: string, message: string): ParsedEvent {
  return { number, event: { status: 'rejected', code, message } };
}
