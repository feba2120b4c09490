import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { pathOfKey } from '../../src/core/key.ts';
import type { Resource } from '../../src/core/resource.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { Updater } from '../../src/ingest/updater.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { ComparedFiles } from '../../src/sources/files/compare-files.ts';
import { FileSource } from '../../src/sources/files/file-source.ts';
import { ScanMemory } from '../../src/sources/files/scan-memory.ts';
import { openRoot } from '../../src/sources/open-contents.ts';
import type { RootLocation } from '../../src/sources/root-location.ts';
import { type Synced, type SyncOptions, sync } from '../../src/sources/sync/sync.ts';
import type { SyncSummary } from '../../src/sources/sync-counter.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect } from './builders.ts';
import type { TempFolder } from './temp-folder.ts';

export type ScanOptions = ComparedFiles & Pick<Synced, 'updater'> & Partial<SyncOptions>;

/** Scans as `tidemark scan` does. */
export async function scan({ root, memory, index, ...options }: ScanOptions): Promise<SyncSummary> {
  const source = new FileSource({ set: options.set, root, memory, index });
  return (await sync({ attended: true, ...options, source }))!;
}

/** A set whose root is the folder `root` of a temporary folder, or another one, in a store of its own. */
export interface ScannedSet extends Synced, ComparedFiles {
  readonly source: FileSource;
  readonly memory: ScanMemory;
  readonly stores: Stores;
  readonly updater: Updater;
  /** Live resources by path; by key when it is not a path. */
  resources(): Promise<ReadonlyMap<string, Resource>>;
  /** Kind and path of every change so far, in order. */
  history(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openScannedSet(
  folder: TempFolder,
  exclude: readonly string[] = [],
  { root = folder.at('root'), hashes = [], s3 }: Partial<RootLocation> = {},
): Promise<ScannedSet> {
  const stores = await openStores({ kind: 'sqlite', file: folder.at('data/store.db') });
  // A test may go on as another user, see `whileUnreadable`.
  chmodSync(folder.at('data'), 0o755);
  const { index, catalog } = stores;
  const sets = new SetRegistry(catalog, index);
  await sets.useBaseUrl('http://localhost:8080', false);
  const set: ResourceSet = await sets.add({ slug: 'set', origin: originOfRoot(root), exclude, publishHashes: hashes });
  const memory = new ScanMemory({ file: join(folder.path, 'data/roots/1.db'), root });
  const updater = new Updater(index);
  const files = { set, root: openRoot({ root, exclude, hashes, s3 }), memory, index };
  return {
    ...files,
    source: new FileSource(files),
    stores,
    updater,
    async resources() {
      const all = await collect(index.read(set.id, {}));
      return new Map(all.map((resource) => [pathOfKey(resource.key) ?? resource.key, resource]));
    },
    async history() {
      const changes = await collect(index.changes(set.id, { after: 1 }));
      return changes.map(({ kind, key }) => `${kind} ${pathOfKey(key) ?? key}`);
    },
    async close() {
      await updater.idle();
      memory.close();
      await stores.close();
    },
  };
}
