import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './ask.ts';

/** Milliseconds between two requests. */
const PAUSE_MS = 500;

/**
 * Reads one document again and again, and records what a reader would complain about: an answer that is late, and one
 * that is neither a whole document nor 503 with a time to come again.
 */
export class TimedReader {
  readonly complaints: string[] = [];
  served = 0;
  refused = 0;
  longestMs = 0;
  readonly #url: string;
  readonly #mostMs: number;

  /** @param mostMs milliseconds after which an answer is late */
  constructor(url: string, mostMs: number) {
    this.#url = url;
    this.#mostMs = mostMs;
  }

  async readUntil(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#readOnce();
      await wait(PAUSE_MS);
    }
  }

  async #readOnce(): Promise<void> {
    const began = performance.now();
    const { status, headers, text } = await ask(this.#url);
    const ms = Math.round(performance.now() - began);
    this.longestMs = Math.max(this.longestMs, ms);
    const complain = (what: string) => {
      const complaint = `${new Date().toISOString()} ${this.#url}: ${what}`;
      console.log(`      ${complaint}`);
      this.complaints.push(complaint);
    };
    if (ms > this.#mostMs) complain(`${status} after ${ms} ms ${status === 200 ? '' : text}`);
    if (status === 200) this.served += 1;
    else if (status === 503 && Number(headers['retry-after']) > 0) this.refused += 1;
    else complain(`${status} ${text}`);
    if (status === 200 && !text.trimEnd().endsWith('>')) complain(`half a document: ${text.slice(-80)}`);
  }
}
