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
  if (FOLDERS_OF_HOMES.includes(dirname(folder))) return true;
  const homes = [homedir(), ...FOLDERS_OF_HOMES];
  const real = await Promise.all(homes.map((home) => realpath(home).catch(() => home)));
  return real.some((home) => home === folder || home.startsWith(folder === '/' ? folder : `${folder}/`));
}
