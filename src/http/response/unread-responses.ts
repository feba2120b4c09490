import type { ServerResponse } from 'node:http';

/** Bytes: the longest lists have some 14 MB. They take twice as much memory, because each is copied for the system. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The whole responses that clients have not read yet. Each is in memory until then, so those of all connections
 * together are limited: the connections that have waited longest are closed. A client that reads is seldom among them.
 */
export class UnreadResponses {
  /** The unread bytes of each, the oldest first. */
  readonly #unread = new Map<ServerResponse, number>();
  #bytes = 0;

  /** Call this when all of a response was written. */
  add(response: ServerResponse): void {
    const bytes = response.writableLength;
    // Usually the system has accepted all of it at once.
    if (bytes === 0) return;
    this.#unread.set(response, bytes);
    this.#bytes += bytes;
    response.once('close', () => this.#remove(response));
    for (const oldest of this.#unread.keys()) {
      if (this.#bytes <= MOST_BYTES || oldest === response) break;
      this.#remove(oldest);
      oldest.destroy();
    }
  }

  #remove(response: ServerResponse): void {
    this.#bytes -= this.#unread.get(response) ?? 0;
    this.#unread.delete(response);
  }
}
