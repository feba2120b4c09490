import { extname } from 'node:path';
import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { type ErrorCode, isTidemarkError, TidemarkError } from '../../core/errors.ts';

/** What a thread is asked, and what it answers; `n` pairs them. */
export interface Question<Ask> {
  readonly n: number;
  readonly ask: Ask;
}
export type Reply<Answer> =
  | { readonly n: number; readonly answer: Answer; readonly error?: undefined }
  | { readonly n: number; readonly error: SentError };

/** Asks a thread to end when it has answered what it was asked before. */
export const CLOSE = 'close';

/** An error as it travels between threads, which keep of an Error only its text; without a code it is one that nobody expected. */
export interface SentError {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function sendError(error: unknown): SentError {
  if (isTidemarkError(error)) return { code: error.code, message: error.message, details: error.details };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), details: {} };
}

export function receiveError({ code, message, details }: SentError): Error {
  return code === undefined ? new Error(message) : new TidemarkError(code, message, { ...details });
}

/** The young generation of a thread, when it does not say another: see cli/prepare-runtime.ts. */
const YOUNG_MB = 12;

/**
 * Starts a file as a thread: TypeScript from the sources, JavaScript once it is built.
 * @param file without its ending, relative to `base`, which is the caller's `import.meta.url`
 */
export function startThread(
  file: string,
  base: string,
  options: { readonly workerData: unknown; readonly resourceLimits?: ResourceLimits },
): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB, ...options.resourceLimits };
  return new Worker(new URL(file + extname(base), base), { ...options, resourceLimits });
}

/** In a thread: answers every question with what `answer` returns or throws, in order and one at a time; `close` is called last. */
export function answerQuestions<Ask, Answer>(
  answer: (ask: Ask) => Answer | Promise<Answer>,
  close: () => void | Promise<void> = () => {},
): void {
  let last: Promise<void> = Promise.resolve();
  parentPort!.on('message', (question: Question<Ask> | typeof CLOSE) => {
    last = last.then(async () => {
      if (question !== CLOSE) return parentPort!.postMessage(await replyTo(question, answer));
      await close();
      parentPort!.close();
    });
  });
}

async function replyTo<Ask, Answer>(
  { n, ask }: Question<Ask>,
  answer: (ask: Ask) => Answer | Promise<Answer>,
): Promise<Reply<Answer>> {
  try {
    return { n, answer: await answer(ask) };
  } catch (error) {
    return { n, error: sendError(error) };
  }
}
