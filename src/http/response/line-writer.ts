import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Response } from 'express';

/** Sends lines of JSON while a client reads them. */
export class LineWriter {
  readonly #response: Response;
  readonly #idleTimeoutMs: number;
  readonly #status: number;

  constructor(
    response: Response,
    { idleTimeoutMs, status = 200 }: { readonly idleTimeoutMs: number; readonly status?: number },
  ) {
    this.#response = response;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#status = status;
  }

  /**
   * Resolves when the client has read enough to send more; a client that reads nothing is disconnected after the idle
   * timeout.
   */
  async write(text: string): Promise<void> {
    if (!this.#response.headersSent) {
      this.#response.status(this.#status).set({ 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' });
    }
    if (this.#response.write(text)) return;
    if (!this.#response.destroyed) await this.#drain();
    if (this.#response.destroyed) throw new Error('the client takes no results');
  }

  async #drain(): Promise<void> {
    const settled = new AbortController();
    const { signal } = settled;
    const waits = [once(this.#response, 'drain', { signal }), once(this.#response, 'close', { signal })];
    const idle = setTimeout(this.#idleTimeoutMs, undefined, { signal }).then(() => this.#response.destroy());
    try {
      await Promise.race([...waits, idle]);
    } finally {
      settled.abort();
    }
  }
}
