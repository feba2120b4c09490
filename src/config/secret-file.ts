import { readFileSync } from 'node:fs';
import { errorCode } from '../lib/system-error.ts';

/**
 * Reads a file with one secret, without the line break at its end, which most programs write. Or the fault, in words
 * that follow the name of the file: never with its content.
 */
export function readSecretFile(file: string): { readonly secret: string } | { readonly problem: string } {
  try {
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return secret === '' ? { problem: 'which is empty: write the secret into it' } : { secret };
  } catch (error) {
    return { problem: readingProblem(error as Error) };
  }
}

function readingProblem(error: Error): string {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'which does not exist: mount or write the secret there, or correct the path';
    case 'EISDIR':
      return 'which is a folder: name the file in it that contains the secret';
    case 'EACCES':
      return 'which this account may not read: give it the right to, or run as the owner of the file';
    default:
      return `which cannot be read: ${error.message}`;
  }
}
