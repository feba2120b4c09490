import { type DestinationStream, type Logger, pino } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { loggedError } from './logged-error.ts';
import { scrubbed } from './scrubbed.ts';
import { scrubbedFields } from './scrubbed-fields.ts';

const STANDARD_ERROR = 2;
/** Names of fields that may hold a secret, wherever somebody logs an object of somebody else's. */
const SECRET_NAMES = ['authorization', 'Authorization', 'cookie', 'set-cookie', 'token', 'apiKey', 'password'];
const DEEPEST = 3;

/** Bytes that are gathered, and milliseconds after which they are written anyway. */
const GATHERED = { bytes: 16_384, milliseconds: 500 };

type Level = Configuration['logLevel'];

/** Logs JSON lines on standard error, where results never go; at once, so that the last words of a process are not lost. */
export function createLogger(level: Level, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: [...secretPaths()], censor: '[hidden]' },
      serializers: { err: loggedError },
      formatters: { log: scrubbedFields },
      hooks: {
        logMethod(args, method) {
          const scrub = (value: unknown) => (typeof value === 'string' ? scrubbed(value) : value);
          method.apply(this, args.map(scrub) as Parameters<typeof method>);
        },
      },
    },
    destination,
  );
}

function* secretPaths(): Iterable<string> {
  for (let depth = 0; depth <= DEEPEST; depth++) {
    const above = Array.from({ length: depth }, () => '*').join('.');
    for (const name of SECRET_NAMES) yield `${above}["${name}"]`;
  }
}

/** A line for each request. */
export interface AccessLog {
  readonly logger: Logger;
  /** Writes what is gathered. */
  close(): void;
}

/** Gathers its lines: a system call for each would take longer than many a request does. */
export function createAccessLog(level: Level): AccessLog {
  const destination = pino.destination({
    dest: STANDARD_ERROR,
    sync: false,
    minLength: GATHERED.bytes,
    periodicFlush: GATHERED.milliseconds,
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
