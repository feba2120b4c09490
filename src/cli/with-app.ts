import type { App } from '../app.ts';
import type { Configuration } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import type { Packer } from '../publish/dumps/packer.ts';
import { describeStore } from '../stores/locations.ts';
import type { Call } from './cli-command.ts';

/** The parts of a call that an app needs; with a terminal, it waits for a slow store and says so there. */
type AppCall = Pick<Call, 'loaded'> & Partial<Pick<Call, 'terminal'>>;

/** Opens the app for a command, and closes it in any case. */
export async function withApp<Result>(
  { loaded: { configuration }, terminal }: AppCall,
  use: (app: App) => Promise<Result>,
  packer?: Packer,
): Promise<Result> {
  // Loaded only now, so that help and usage errors are printed without delay.
  const { openApp } = await import('../app.ts');
  const onSlow = terminal && ((message: string) => terminal.say(message));
  const app = await openApp(configuration, { packer, onSlow });
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

/** The same for a command that needs an existing store: a mistyped name must not become a new, empty source. */
export async function withExistingApp<Result>(call: AppCall, use: (app: App) => Promise<Result>): Promise<Result> {
  await requireStore(call.loaded.configuration);
  return withApp(call, use);
}

/** @throws TidemarkError `invalid` when the store does not exist, `unavailable` when its server cannot be reached */
export async function requireStore({ store }: Pick<Configuration, 'store'>): Promise<void> {
  if (!(await isNewStore({ store }))) return;
  const [name, advice, details] =
    store.kind === 'sqlite'
      ? [store.file, 'name the data folder with --data', { file: store.file }]
      : [describeStore(store), 'name its indices with TIDEMARK_INDEX_PREFIX', { prefix: store.prefix }];
  throw new TidemarkError(
    'invalid',
    `there is no store ${name}: ${advice}, or make one with "tidemark publish", "tidemark sets add" or "tidemark datasets ingest"`,
    details,
  );
}

/** Whether the store does not exist yet. @throws TidemarkError `unavailable` when its server cannot be reached */
export async function isNewStore({ store }: Pick<Configuration, 'store'>): Promise<boolean> {
  // Loaded only now, as the app.
  const { storeExists } = await import('../stores/open-stores.ts');
  return !(await storeExists(store));
}
