import { CommanderError } from 'commander';
import { type ErrorCode, isTidemarkError } from '../core/errors.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, unavailable: 3, stopped: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODE_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done, also after a clean stop'],
  [EXIT.failed, 'a difference was found, or some of the work failed'],
  [EXIT.usage, 'wrong usage: an argument, an option or a setting'],
  [EXIT.unavailable, 'the store or a folder is not available'],
  [EXIT.stopped, 'stopped at once, by a second signal; an ingest by the first one'],
];

export const EXIT_CODE_HELP = `
Exit codes:
${EXIT_CODE_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}\n`).join('')}`;

/** A printed error, for users or as JSON. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: ErrorCode | 'usage' | 'stopped' | 'internal';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Thrown when the user stopped the work. */
export class Stopped extends Error {}

const EXIT_CODES: Readonly<Record<ErrorCode, ExitCode>> = {
  invalid: EXIT.usage,
  'not-found': EXIT.usage,
  conflict: EXIT.usage,
  gone: EXIT.usage,
  forbidden: EXIT.usage,
  'not-ready': EXIT.failed,
  unavailable: EXIT.unavailable,
  incompatible: EXIT.unavailable,
};

/** The one place that turns an error into a message and an exit code. */
export function failureOf(error: unknown): Failure {
  if (isTidemarkError(error)) {
    const { code, message, details } = error;
    return { exitCode: EXIT_CODES[code], code, message, details };
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.+)\?\)$/s, '; did you mean $1?');
    return { exitCode: EXIT.usage, code: 'usage', message, details: {} };
  }
  if (error instanceof Stopped) return { exitCode: EXIT.failed, code: 'stopped', message: error.message, details: {} };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    exitCode: EXIT.failed,
    code: 'internal',
    message: `something went wrong inside; please report this:\n${message}`,
    details: {},
  };
}
