import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import { type Origin, traitsOf } from '../core/origin.ts';
import { askToConfirm } from './ask-to-confirm.ts';
import type { Call } from './cli-command.ts';

export const CONFIRM_ROOT = [
  '--confirm-root',
  'yes, publish all of a home folder, or all of /; without this, a terminal asks',
] as const;

/** The folders with the home folders of Linux and macOS. */
const FOLDERS_OF_HOMES = ['/home', '/Users'];

/**
 * Asks before a home folder, or a folder that contains one, is published: it has keys and passwords.
 * @throws TidemarkError `conflict` when that is not confirmed
 */
export async function confirmRoot(
  call: Pick<Call, 'terminal' | 'stopped'>,
  origin: Origin,
  isConfirmed: boolean,
): Promise<void> {
  const { folder } = traitsOf(origin);
  if (folder === undefined || isConfirmed || !(await hasHome(folder))) return;
  const what = `${folder} ${folder === '/' ? 'is all of this machine' : 'is a home folder, or contains one'}: everybody could read its keys and passwords`;
  if (await askToConfirm(call, `Publish it? ${what}.`)) return;
  const message = `${what}. Publish a folder below it, or say --confirm-root, perhaps with --exclude '.*'`;
  throw new TidemarkError('conflict', message, { folder });
}

async function hasHome(folder: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => path);
  const folders = await Promise.all(FOLDERS_OF_HOMES.map(real));
  if ([...FOLDERS_OF_HOMES, ...folders].includes(dirname(folder))) return true;
  const homes = [...(await Promise.all(ownHome().map(real))), ...folders];
  return homes.some((home) => home === folder || home.startsWith(folder === '/' ? folder : `${folder}/`));
}

/** The home folder of the user. In a container, an account may have none. */
function ownHome(): readonly string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}
