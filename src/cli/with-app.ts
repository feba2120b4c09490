import { access } from 'node:fs/promises';
import type { App } from '../app.ts';
import type { Configuration } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import type { Packer } from '../publish/dumps/packer.ts';
import type { Call } from './cli-command.ts';

/** Opens the app for a command, and closes it in any case. */
export async function withApp<Result>(
  { loaded: { configuration } }: Pick<Call, 'loaded'>,
  use: (app: App) => Promise<Result>,
  packer?: Packer,
): Promise<Result> {
  // Loaded only now, so that help and usage errors are printed without delay.
  const { openApp } = await import('../app.ts');
  const app = await openApp(configuration, packer);
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

/** The same for a command that needs an existing store: a mistyped folder must not become a new, empty source. */
export async function withExistingApp<Result>(
  call: Pick<Call, 'loaded'>,
  use: (app: App) => Promise<Result>,
): Promise<Result> {
  await requireStore(call.loaded.configuration);
  return withApp(call, use);
}

/**
 * Checks only stores in files: opening the store shows whether a server can be reached.
 * @throws TidemarkError `invalid` when the file of the store does not exist
 */
export async function requireStore({ store }: Pick<Configuration, 'store'>): Promise<void> {
  if (store.kind !== 'sqlite' || !(await isMissing(store.file))) return;
  throw new TidemarkError(
    'invalid',
    `there is no store ${store.file}: name the data folder with --data, or make one with "tidemark publish" or "tidemark sets add"`,
    { file: store.file },
  );
}

/** Whether the store is a file that does not exist yet. */
export async function isNewStore({ store }: Pick<Configuration, 'store'>): Promise<boolean> {
  return store.kind === 'sqlite' && isMissing(store.file);
}

async function isMissing(file: string): Promise<boolean> {
  try {
    await access(file);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
