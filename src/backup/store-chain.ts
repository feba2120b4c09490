import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { unlessConflict } from '../core/errors.ts';
import type { Catalog } from '../stores/catalog.ts';
import { ArchiveChain, newChainId } from './archive-chain.ts';

const ID = 'archive';

/** The document that names the archive of a store. */
interface StoreArchive {
  readonly chain: string;
}

interface StoreChainOptions {
  readonly catalog: Catalog;
  readonly artifacts: ArtifactStore;
  /** Gives the store another archive. */
  readonly anew?: boolean | undefined;
}

/** The archive of a store: the catalog names it, so all processes agree, and a store rebuilt from it continues it. */
export async function chainOfStore({ catalog, artifacts, anew = false }: StoreChainOptions): Promise<ArchiveChain> {
  const known = await catalog.get<StoreArchive>('archive', ID);
  if (known !== undefined && !anew) return new ArchiveChain(artifacts, known.body.chain);
  const id = newChainId();
  const put = await unlessConflict(catalog.put<StoreArchive>('archive', ID, { chain: id }, known?.version));
  // Another process has named an archive.
  return put === undefined ? chainOfStore({ catalog, artifacts }) : new ArchiveChain(artifacts, id);
}

/** Makes a rebuilt store continue its archive. */
export async function nameChain(catalog: Catalog, chain: string): Promise<void> {
  if ((await catalog.get('archive', ID)) !== undefined) return;
  await catalog.put<StoreArchive>('archive', ID, { chain }, undefined);
}
