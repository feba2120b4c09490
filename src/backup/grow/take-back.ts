import { TidemarkError } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { CatalogKind } from '../../stores/catalog.ts';
import { hasMovedError } from '../../stores/store-fence.ts';
import { newerDocuments } from './copy-catalog.ts';
import type { NamedStores } from './grow-store.ts';

/** What servers renew by themselves, and may be older: docs/internals/growing.md. */
const RENEWED: readonly CatalogKind[] = [
  'token-use',
  'session',
  'delivery',
  'journal',
  'artifact-check',
  'page-directory',
  'followed',
  'records',
  'clock',
  'scanners',
];
/** Number of documents that an error names. */
const MOST_NAMED = 5;

interface TakeBackInput {
  /** The store that has moved. */
  readonly old: NamedStores;
  /** The store that it has moved to. */
  readonly current: NamedStores;
}

/**
 * Undoes a move: the new store is marked as moved to the old one, which takes changes again. Call it again after any
 * failure.
 * @throws TidemarkError `conflict` when the new store has something newer, or the old one has not moved to it
 */
export async function takeBack({ old, current }: TakeBackInput): Promise<void> {
  const before = await old.stores.fence.state();
  if (before.state !== 'moved' || before.to !== current.name) {
    const where = before.state === 'moved' ? `, but to ${before.to}` : '';
    throw new TidemarkError('conflict', `the store ${old.name} has not moved to ${current.name}${where}`);
  }
  const now = await current.stores.fence.state();
  if (now.state === 'moved' && now.to !== old.name) throw hasMovedError(now.to);
  if (now.state !== 'moved') await fenceCurrent({ old, current });
  failpoint('takeback.fenced');
  await old.stores.fence.takeBack();
  // No boundary that the other store has returned is above the next change.
  await old.stores.index.mark();
}

async function fenceCurrent({ old, current }: TakeBackInput): Promise<void> {
  // First without a pause, so that a store with something newer is not stopped.
  await requireNothingNewer({ old, current });
  const { fence } = current.stores;
  const pause = await fence.pause();
  try {
    await requireNothingNewer({ old, current });
    if (await fence.move(pause, old.name)) return;
    throw new TidemarkError('unavailable', 'the stores could not be compared within ten seconds: call this again');
  } catch (error) {
    await fence.release(pause).catch(() => {});
    throw error;
  }
}

async function requireNothingNewer({ old, current }: TakeBackInput): Promise<void> {
  const after = (await old.stores.index.watermark()) - 1;
  const { index } = current.stores;
  const changes = await index.tail(after, 1);
  if (changes.length > 0) throw hasNewer(old, `its log has changes after the move`);
  for await (const raised of index.raisedOrders({ after })) {
    if (raised.length > 0) throw hasNewer(old, `orders of its resources rose after the move`);
  }
  const catalogs = { newer: current.stores.catalog, older: old.stores.catalog };
  const documents = await newerDocuments(catalogs, RENEWED);
  if (documents.length === 0) return;
  const more = documents.length > MOST_NAMED ? ', …' : '';
  throw hasNewer(old, `it has other documents (${documents.slice(0, MOST_NAMED).join(', ')}${more})`);
}

function hasNewer({ name }: NamedStores, what: string): TidemarkError {
  return new TidemarkError(
    'conflict',
    `the new store has something newer than ${name}: ${what}. To go back with all of it, move it on to another store: "tidemark grow" with the settings of the new store`,
  );
}
