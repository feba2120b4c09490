import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import { GatheringLogOutput, LogOutput } from './log-output.ts';
import { loggedError } from './logged-error.ts';
import { HIDDEN, SECRET_NAMES, scrubbed } from './scrubbed.ts';
import { scrubbedFields } from './scrubbed-fields.ts';

type Level = Configuration['logLevel'];

/** A line has the name of its level, and its time in ISO 8601: people read them, too. */
const LINES = {
  base: null,
  formatters: { level: (level: string) => ({ level }) },
  timestamp: stdTimeFunctions.isoTime,
};

/**
 * Logs JSON lines to standard error, where results never go. Writes at once, so that the last lines of a process are
 * not lost.
 */
export function createLogger(level: Level, destination: DestinationStream = new LogOutput()): Logger {
  return pino(
    {
      ...LINES,
      level,
      // Pino serializes objects that `scrubbedFields` skips because they are not plain.
      redact: { paths: [...SECRET_NAMES].map((name) => `*["${name}"]`), censor: HIDDEN },
      serializers: { err: loggedError },
      formatters: { ...LINES.formatters, log: scrubbedFields },
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

/** A line for each request, at `debug` for one that only reads. */
export interface AccessLog {
  readonly logger: Logger;
  /** Writes what is gathered. */
  close(): void;
}

export function createAccessLog(level: Level): AccessLog {
  const destination = new GatheringLogOutput();
  return { logger: pino({ ...LINES, level }, destination), close: () => destination.close() };
}
