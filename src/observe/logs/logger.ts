import { type DestinationStream, type Logger, pino } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import { loggedError } from './logged-error.ts';
import { HIDDEN, SECRET_NAMES, scrubbed } from './scrubbed.ts';
import { scrubbedFields } from './scrubbed-fields.ts';

const STANDARD_ERROR = 2;
/** Bytes that are buffered, and milliseconds after which they are written anyway. */
const BUFFERED = { bytes: 8_192, milliseconds: 500 };

type Level = Configuration['logLevel'];

/**
 * Logs JSON lines to standard error, where results never go. Writes at once, so that the last lines of a process are
 * not lost.
 */
export function createLogger(level: Level, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      // Pino serializes objects that `scrubbedFields` skips because they are not plain.
      redact: { paths: [...SECRET_NAMES].map((name) => `*["${name}"]`), censor: HIDDEN },
      serializers: { err: loggedError },
      formatters: { log: scrubbedFields },
      hooks: {
        logMethod(args, method) {
          const scrub = (value: unknown) => (typeof value === 'string' ? scrubbed(value) : value);
          // For an error alone, pino would log its message unchanged.
          const [first, ...rest] = args as unknown[];
          const all = first instanceof Error ? [{ err: first }, ...(rest.length > 0 ? rest : [first.message])] : args;
          method.apply(this, all.map(scrub) as Parameters<typeof method>);
        },
      },
    },
    destination,
  );
}

/** A line for each request. */
export interface AccessLog {
  readonly logger: Logger;
  /** Writes what is buffered. */
  close(): void;
}

/** Buffers its lines: a system call for each would take longer than many a request does. */
export function createAccessLog(level: Level): AccessLog {
  const destination = pino.destination({
    dest: STANDARD_ERROR,
    sync: false,
    minLength: BUFFERED.bytes,
    periodicFlush: BUFFERED.milliseconds,
  });
  return {
    logger: pino({ level, base: null }, destination),
    close() {
      destination.flushSync();
      destination.end();
    },
  };
}

function standardError(): DestinationStream {
  return pino.destination({ dest: STANDARD_ERROR, sync: true });
}
