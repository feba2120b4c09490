import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { pathOfKey } from '../../src/core/key.ts';
import type { Resource } from '../../src/core/resource.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { Updater } from '../../src/ingest/updater.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openRoot } from '../../src/sources/open-root.ts';
import type { RootLocation } from '../../src/sources/root-location.ts';
import { ScanMemory } from '../../src/sources/scan-memory.ts';
import type { Scanned } from '../../src/sources/sync/scan.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect } from './builders.ts';
import type { TempFolder } from './temp-folder.ts';

/** A set whose root is the folder `root` of a temporary folder, or another one, in a store of its own. */
export interface ScannedSet extends Scanned {
  readonly memory: ScanMemory;
  readonly stores: Stores;
  readonly updater: Updater;
  /** Live resources by path; by key when it is no path. */
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
  return {
    set,
    root: openRoot({ root, exclude, hashes, s3 }),
    memory,
    index,
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
