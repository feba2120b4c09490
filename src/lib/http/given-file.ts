import { readFile } from 'node:fs/promises';
import { TidemarkError } from '../../core/errors.ts';
import { reasonOf } from '../system-error.ts';

/** Reads a file that the user named. @throws TidemarkError `invalid` when it cannot be read */
export async function readGivenFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TidemarkError('invalid', `the file ${file} cannot be read: ${reasonOf(error)}`, { file }, error);
  }
}

/** Reads a file with a bearer token. @throws TidemarkError `invalid` when no header can have its text as a token */
export async function readTokenFile(file: string): Promise<string> {
  const token = (await readGivenFile(file)).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const problem = token === '' ? 'has no token in it' : 'has more in it than a token: leave only that, in one line';
  throw new TidemarkError('invalid', `the file ${file} ${problem}`, { file });
}
