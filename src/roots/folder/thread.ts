import { extname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorCode, isTidemarkError, TidemarkError } from '../../domain/errors.ts';

/** An error as it travels between threads, which keep of an Error only its text. */
export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a thread is asked, and what it answers; `n` pairs them. */
export interface Question<Ask> {
  readonly n: number;
  readonly ask: Ask;
}
export type Reply<Answer> =
  | { readonly n: number; readonly answer: Answer; readonly error?: undefined }
  | { readonly n: number; readonly error: SentError };

export function sendError(error: unknown): SentError {
  if (isTidemarkError(error)) return { code: error.code, message: error.message, details: error.details };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'unavailable', message, details: {} };
}

export function receiveError({ code, message, details }: SentError): TidemarkError {
  return new TidemarkError(code, message, { ...details });
}

export type ThreadName = 'walk-thread' | 'watch-thread' | 'hash-thread';

/** Starts a sibling file as a thread: TypeScript from the sources, JavaScript once it is built. */
export function startThread(name: ThreadName, workerData: unknown): Worker {
  const url = new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
  // What these threads make is short-lived; the default lets each of them gather tens of megabytes of it.
  return new Worker(url, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 2 } });
}

/** In a thread: answers every question with what `answer` returns or throws. */
export function answerQuestions<Ask, Answer>(answer: (ask: Ask) => Answer): void {
  parentPort!.on('message', ({ n, ask }: Question<Ask>) => {
    parentPort!.postMessage(replyTo(n, () => answer(ask)));
  });
}

function replyTo<Answer>(n: number, answer: () => Answer): Reply<Answer> {
  try {
    return { n, answer: answer() };
  } catch (error) {
    return { n, error: sendError(error) };
  }
}
