import type { IncomingMessage } from 'node:http';
import { describeHttpFailure, isPrivateAddress } from '../../lib/http/failure.ts';
import { FetchFailure, PrivateHost, Refused } from './fetcher.ts';

/** Shorter bodies are read as a whole. */
const SHORT_BYTES = 64 * 1024;

/**
 * Yields the body of a response, and closes its connection unless it was read to its end.
 * @param deadline is cleared afterwards
 * @throws FetchFailure when it breaks off
 */
export function bodyOf(response: IncomingMessage, deadline: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
  return isShort(response) ? atOnce(response, deadline) : chunksOf(response, deadline);
}

const isShort = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? Infinity) <= SHORT_BYTES;

/** Reads a short body in one piece: iterating over a stream takes several times as long as transferring its bytes. */
async function* atOnce(response: IncomingMessage, deadline: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
  const chunks: Buffer[] = [];
  const failure = await new Promise<Error | 'cut off' | undefined>((resolve) => {
    // It broke off before it was read: no event will follow.
    if (response.destroyed) resolve('cut off');
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(undefined));
    response.on('error', resolve);
    // Each response is closed: an error with its stack, made here, would be a twentieth of the work for a small file.
    response.on('close', () => resolve('cut off'));
  });
  end(response, deadline);
  // Yield the bytes even if the body broke off: the reader may resume after them.
  if (chunks.length > 0) yield chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  if (failure !== undefined) throw failure === 'cut off' ? cutOff() : failureOf(failure);
}

export const CUT_OFF = 'the connection was closed before all bytes came';
const cutOff = () => new FetchFailure(CUT_OFF);

async function* chunksOf(response: IncomingMessage, deadline: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (error) {
    throw failureOf(error as Error);
  } finally {
    end(response, deadline);
  }
}

/** Closes the connection of a response that was not read to its end. */
export function end(response: IncomingMessage, deadline: NodeJS.Timeout): void {
  clearTimeout(deadline);
  if (!response.complete || !response.readableEnded) response.destroy();
}

/** The failure for an error of a request or a response; the reason of the signal when it is aborted. */
export function failureOf(error: NodeJS.ErrnoException, signal?: AbortSignal): Error {
  if (signal?.aborted) return signal.reason instanceof Error ? signal.reason : error;
  if (error instanceof FetchFailure) return error;
  const message = describeHttpFailure(error);
  if (/CERT|UNABLE_TO_VERIFY/.test(error.code ?? '')) return new Refused(`its certificate does not verify: ${message}`);
  return isPrivateAddress(error) ? new PrivateHost(message) : new FetchFailure(message);
}
