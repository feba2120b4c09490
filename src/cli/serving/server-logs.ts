import type { Logger } from 'pino';
import { type AccessLog, createAccessLog, createLogger } from '../../observe/logs/logger.ts';
import { textLine } from '../../observe/logs/text-line.ts';
import type { Call } from '../cli-command.ts';

export interface ServerLogs {
  readonly logger: Logger;
  /** Undefined when requests are not logged. */
  readonly accessLog: AccessLog | undefined;
  /** Whether lines are text for users rather than JSON. */
  readonly isText: boolean;
  readonly isOnTerminal: boolean;
}

/** Logs that a command stops. On a terminal, its user has just asked for that. */
export function logStop({ logger, isOnTerminal }: ServerLogs, event: 'stopping' | 'stopped'): void {
  if (!isOnTerminal) logger.info(event === 'stopping' ? 'stopping: what is under way ends first' : 'stopped');
}

/** Text for users on a terminal, JSON for programs; the setting `logFormat` overrides this. */
export function openLogs({ terminal, loaded: { configuration } }: Pick<Call, 'terminal' | 'loaded'>): ServerLogs {
  const { logLevel, logFormat, accessLog } = configuration;
  const isOnTerminal = terminal.stderr.isTTY === true;
  const isText = logFormat === 'text' || (logFormat === 'auto' && isOnTerminal && !terminal.json);
  if (!isText) {
    const requests = accessLog ? createAccessLog(logLevel) : undefined;
    return { logger: createLogger(logLevel), accessLog: requests, isText, isOnTerminal };
  }
  const logger = createLogger(logLevel, { write: (line) => terminal.log(textLine(line)) });
  return { logger, accessLog: accessLog ? { logger, close: () => {} } : undefined, isText, isOnTerminal };
}
