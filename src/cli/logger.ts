import { type Logger, pino } from 'pino';
import type { Configuration } from '../config/configuration.ts';

const STANDARD_ERROR = 2;

/** Logs JSON lines on standard error, where results never go. */
export function createLogger(level: Configuration['logLevel']): Logger {
  return pino({ level, base: null }, pino.destination({ dest: STANDARD_ERROR, sync: true }));
}
