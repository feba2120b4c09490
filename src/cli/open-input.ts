import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { TidemarkError } from '../core/errors.ts';
import type { Call } from './cli-command.ts';

/**
 * Opens a file with a JSON object on each line, or standard input for `-`.
 * @param what the objects are, for messages: `events`
 * @throws TidemarkError `invalid` when it cannot be read
 */
export async function openInput(
  { terminal, workingDirectory, stopped }: Pick<Call, 'terminal' | 'workingDirectory' | 'stopped'>,
  name: string,
  what: string,
): Promise<Readable> {
  if (name === '-') {
    if (process.stdin.isTTY) terminal.say(`Reading ${what} from the terminal, one JSON object a line; Ctrl-D ends.`);
    return addAbortSignal(stopped, terminal.stdin);
  }
  const file = resolve(workingDirectory, name);
  const stats = await stat(file).catch((error: Error) => {
    throw new TidemarkError('invalid', `${file} cannot be read: ${error.message}`, { file });
  });
  if (stats.isDirectory()) throw new TidemarkError('invalid', `${file} is a folder: name a file of ${what}`, { file });
  return addAbortSignal(stopped, createReadStream(file, { highWaterMark: 1 << 18 }));
}
