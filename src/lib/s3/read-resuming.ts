import type { Readable } from 'node:stream';
import { isTidemarkError, type TidemarkError } from '../../core/errors.ts';
import { type Backoff, pauseAfter } from '../calls/retry.ts';

/** How many times in a row reading resumes after a break. */
const RESUMES = 3;
const BACKOFF: Backoff = { firstMs: 200, longestMs: 1_000 };

interface ResumingRead {
  /** Positions of the first and of the last byte. */
  readonly start: number;
  readonly end: number;
  readonly signal: AbortSignal;
  /** Requests the bytes from this position. Its errors end the reading. */
  open(from: number): Promise<Readable>;
  /** The error when more bytes arrive than were requested. */
  tooLong(): TidemarkError;
  /**
   * The error when the bytes end too early.
   * @param bytes number of bytes that arrived
   */
  cutOff(bytes: number): TidemarkError;
  /** Translates an error of the connection. */
  errorOf(error: unknown): TidemarkError;
}

/**
 * Reads bytes of an object, and resumes after a broken connection.
 * @throws TidemarkError `unavailable` after three breaks in a row
 */
export async function* readResuming(read: ResumingRead): AsyncGenerator<Buffer> {
  const { start, end, signal } = read;
  let at = start;
  for (let cuts = 0; at <= end; ) {
    const body = await read.open(at);
    try {
      for await (const chunk of body) {
        at += chunk.length;
        cuts = 0;
        if (at > end + 1) throw read.tooLong();
        yield chunk;
      }
      if (at <= end) throw read.cutOff(at - start);
    } catch (error) {
      signal.throwIfAborted();
      const explained = read.errorOf(error);
      cuts += 1;
      // With too many bytes, there is nothing left to request.
      const isFinal = at > end + 1 || cuts > RESUMES;
      if (isFinal || !isTidemarkError(explained, 'unavailable')) throw explained;
      await pauseAfter(cuts, BACKOFF, signal);
    }
  }
}
