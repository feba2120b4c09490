import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, TidemarkError } from '../../domain/errors.ts';

/** An error as it travels between threads, which keep of an Error only its text. */
export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
}

export function sendError(error: unknown): SentError {
  if (error instanceof TidemarkError) return { code: error.code, message: error.message };
  return { code: 'unavailable', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function receiveError({ code, message }: SentError): TidemarkError {
  return new TidemarkError(code, message);
}

/** Starts a sibling file as a thread: TypeScript from the sources, JavaScript once it is built. */
export function startThread(name: 'walk-thread' | 'watch-thread', workerData: unknown): Worker {
  const url = new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
  return new Worker(url, { workerData });
}
