import { TidemarkError } from '../core/errors.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import { CATALOG_KINDS } from './documents.ts';

const ID = 'rebuild';

/** What a store tells of the archive that it is made of. */
interface RebuildState {
  readonly chain: string;
  readonly done: boolean;
}

/** @throws TidemarkError `unavailable` when the store is a part of what it will be: nobody may use it then */
export async function requireWhole(catalog: Catalog, name: string): Promise<void> {
  const state = await catalog.get<RebuildState>('rebuild', ID);
  if (state === undefined || state.body.done) return;
  throw new TidemarkError(
    'unavailable',
    `the store ${name} is being made of the archive ${state.body.chain}, and is not whole yet: wait, or go on with "tidemark rebuild"`,
  );
}

/**
 * Notes that a store is being made, or finds that it was begun before.
 * @throws TidemarkError `conflict` when it holds something else
 */
export async function beginRebuild(
  { catalog, index }: { readonly catalog: Catalog; readonly index: ChangeLog },
  { chain, name }: { readonly chain: string; readonly name: string },
): Promise<void> {
  const state = await catalog.get<RebuildState>('rebuild', ID);
  if (state?.body.done === false && state.body.chain === chain) return;
  if (state?.body.done === false) {
    throw new TidemarkError(
      'conflict',
      `${name} was begun from the archive ${state.body.chain}: go on with --from ${state.body.chain}, or take another store`,
    );
  }
  if (state !== undefined || !(await isEmpty(catalog, index))) {
    throw new TidemarkError(
      'conflict',
      `${name} is not empty: a log is made again in an empty store only. Name another one with --store (and --index-prefix)`,
    );
  }
  await catalog.put<RebuildState>('rebuild', ID, { chain, done: false }, undefined);
}

/**
 * Call it after what is to be replaced was read, and replace just that: who comes late, when another process has made the store whole and it is
 * used already, replaces nothing then.
 * @throws TidemarkError `conflict`
 */
export async function requireUnderWay(catalog: Catalog): Promise<void> {
  const state = await catalog.get<RebuildState>('rebuild', ID);
  if (state?.body.done === false) return;
  throw new TidemarkError('conflict', 'another process has made the store whole meanwhile: nothing is left to be done');
}

export async function endRebuild(catalog: Catalog): Promise<void> {
  const state: CatalogDocument<RebuildState> | undefined = await catalog.get<RebuildState>('rebuild', ID);
  if (state === undefined || state.body.done) return;
  await catalog.put<RebuildState>('rebuild', ID, { ...state.body, done: true }, state.version);
}

async function isEmpty(catalog: Catalog, index: ChangeLog): Promise<boolean> {
  for (const kind of CATALOG_KINDS) if ((await catalog.head(kind)) > 0) return false;
  // A boundary just above 0: no stamp was ever given.
  return (await index.watermark()) <= 1;
}
