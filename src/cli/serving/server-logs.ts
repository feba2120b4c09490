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
}

/** Text for users on a terminal, JSON for programs; the setting `logFormat` overrides this. */
export function openLogs({ terminal, loaded: { configuration } }: Pick<Call, 'terminal' | 'loaded'>): ServerLogs {
  const { logLevel, logFormat, accessLog } = configuration;
  const isText = logFormat === 'text' || (logFormat === 'auto' && terminal.stderr.isTTY === true && !terminal.json);
  if (!isText) {
    return { logger: createLogger(logLevel), accessLog: accessLog ? createAccessLog(logLevel) : undefined, isText };
  }
  const logger = createLogger(logLevel, { write: (line) => terminal.log(textLine(line)) });
  return { logger, accessLog: accessLog ? { logger, close: () => {} } : undefined, isText };
}
