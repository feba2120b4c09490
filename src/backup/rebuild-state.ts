import { TidemarkError, unlessConflict } from '../core/errors.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import { CATALOG_KINDS } from './catalog-documents.ts';

const ID = 'rebuild';

/** The document, in a store, that names the archive from which it is being rebuilt. */
interface RebuildState {
  readonly chain: string;
  readonly done: boolean;
  /** Changes, orders and positions are recorded: only now, sets are marked as removed, and reject further changes. */
  readonly replayed?: boolean;
  /** The catalog is that of the archive, and all was compared: only now, sets are renewed, and get further changes. */
  readonly compared?: boolean;
  /** `tidemark grow` fills the store, not `tidemark rebuild`. */
  readonly grows?: true;
  /** The number of the last segment whose changes, orders and positions are recorded, while it grows. */
  readonly segments?: number;
}

type RebuildStep = 'replayed' | 'compared';

/** @throws TidemarkError `unavailable` when the store is incomplete: it must not be used then */
export async function requireWhole(catalog: Catalog, name: string): Promise<void> {
  const state = await catalog.get<RebuildState>('rebuild', ID);
  if (state === undefined || state.body.done) return;
  const { chain, grows } = state.body;
  throw new TidemarkError(
    'unavailable',
    grows
      ? `the store ${name} is being filled by "tidemark grow", and is not complete: wait, or call that again with the settings of the old store`
      : `the store ${name} is being rebuilt from the archive ${chain}, and is not complete: wait, or continue with "tidemark rebuild"`,
  );
}

/**
 * Records the start of a rebuild, or finds that it was started before.
 * @throws TidemarkError `conflict` when the store has other content
 */
export async function beginRebuild(
  { catalog, index }: { readonly catalog: Catalog; readonly index: ChangeLog },
  { chain, name, grows }: { readonly chain: string; readonly name: string; readonly grows?: true },
): Promise<void> {
  const state = await catalog.get<RebuildState>('rebuild', ID);
  const isUnderWay = state?.body.done === false;
  if (isUnderWay && state.body.chain === chain && state.body.grows === grows) return;
  if (isUnderWay && (state.body.grows || grows)) {
    const by = state.body.grows ? 'grow' : 'rebuild';
    throw new TidemarkError(
      'conflict',
      `${name} was begun by "tidemark ${by}" of the history ${state.body.chain}: go on with that, or take another store`,
    );
  }
  if (isUnderWay) {
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
  await catalog.put<RebuildState>('rebuild', ID, { chain, done: false, ...(grows && { grows }) }, undefined);
}

/**
 * Call this after reading the documents to be replaced, and replace only those: then a late process replaces nothing
 * after another one has completed the store, which may be in use.
 * @throws TidemarkError `conflict`
 */
export async function requireUnderWay(catalog: Catalog): Promise<CatalogDocument<RebuildState>> {
  const state = await catalog.get<RebuildState>('rebuild', ID);
  if (state?.body.done === false) return state;
  throw new TidemarkError('conflict', 'another process has completed the store meanwhile: nothing is left to do');
}

/** Whether a step is complete, and must not be repeated. @throws TidemarkError `conflict` as `requireUnderWay` */
export async function isStepDone(catalog: Catalog, step: RebuildStep): Promise<boolean> {
  const { body } = await requireUnderWay(catalog);
  return body[step] === true;
}

/** @throws TidemarkError `conflict` as `requireUnderWay` */
export async function recordStep(catalog: Catalog, step: RebuildStep): Promise<void> {
  const { body, version } = await requireUnderWay(catalog);
  if (body[step] === true) return;
  // A conflict means that another process has recorded the same step.
  await unlessConflict(catalog.put<RebuildState>('rebuild', ID, { ...body, [step]: true }, version));
}

/** Records that a growing store has all of the first segments. @throws TidemarkError `conflict` */
export async function recordSegments(catalog: Catalog, segments: number): Promise<void> {
  const { body, version } = await requireUnderWay(catalog);
  if ((body.segments ?? 0) >= segments) return;
  await catalog.put<RebuildState>('rebuild', ID, { ...body, segments }, version);
}

export async function endRebuild(catalog: Catalog): Promise<void> {
  const state: CatalogDocument<RebuildState> | undefined = await catalog.get<RebuildState>('rebuild', ID);
  if (state === undefined || state.body.done) return;
  await catalog.put<RebuildState>('rebuild', ID, { ...state.body, done: true }, state.version);
}

async function isEmpty(catalog: Catalog, index: ChangeLog): Promise<boolean> {
  for (const kind of CATALOG_KINDS) if ((await catalog.head(kind)) > 0) return false;
  // A boundary just above 0: no stamp was ever assigned.
  return (await index.watermark()) <= 1;
}
