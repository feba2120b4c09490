import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Configuration } from './config/configuration.ts';
import { armFailpoint } from './domain/failpoint.ts';
import type { ResourceSet, SetId } from './domain/resource-set.ts';
import { DocumentCache } from './publisher/document-cache.ts';
import type { DocumentPublisher } from './publisher/published-document.ts';
import { Publisher } from './publisher/publisher.ts';
import { Renderer } from './publisher/renderer.ts';
import type { ContentRoot } from './roots/content-root.ts';
import { ScanMemory } from './roots/folder/scan-memory.ts';
import { openRoot } from './roots/open-root.ts';
import { SetRegistry } from './sets/set-registry.ts';
import type { Catalog } from './stores/catalog.ts';
import { makeFolder } from './stores/make-folder.ts';
import { openStores } from './stores/open-stores.ts';
import type { ResourceIndex } from './stores/resource-index.ts';
import { startThread } from './threads/questions.ts';
import { Updater } from './updater/updater.ts';

/** The use cases, put together for one configuration. Whoever opens it closes it. */
export interface App {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly updater: Updater;
  readonly publisher: DocumentPublisher;
  /** The content root of a set, and what scans remember of it. The same one at every call. */
  rootOf(set: ResourceSet): { readonly root: ContentRoot; readonly memory: ScanMemory };
  /** Finishes what is in hand and closes everything, last opened first. */
  close(): Promise<void>;
}

/** @throws TidemarkError `unavailable` or `incompatible` when the store cannot be used */
export async function openApp(configuration: Configuration): Promise<App> {
  const { store, dataFolder, failpoint, cacheBytes } = configuration;
  armFailpoint(failpoint);
  makeFolder(dataFolder);
  const closers: (() => Promise<void> | void)[] = [];

  const { index, catalog, close: closeStores } = await openStores(store, { failpoint });
  closers.push(closeStores);
  const sets = new SetRegistry(catalog, index);
  const updater = new Updater(index);
  closers.push(() => updater.idle());

  const renderer = new Renderer(() => startRenderThread({ store, failpoint }));
  closers.push(() => renderer.close());
  const cache = new DocumentCache({
    folder: join(dataFolder, 'documents'),
    mostBytes: cacheBytes,
    render: (record, making) => renderer.render(record, making),
  });
  const stock = cache.takeStock();
  closers.push(() => stock);
  const publisher = new Publisher({ index, catalog, sets, cache, renderer });
  closers.push(() => publisher.close());

  const roots = new Map<SetId, { root: ContentRoot; memory: ScanMemory }>();
  return {
    configuration,
    index,
    catalog,
    sets,
    updater,
    publisher,
    rootOf(set) {
      let opened = roots.get(set.id);
      if (opened === undefined) {
        const memory = openMemory(dataFolder, set);
        closers.push(() => memory.close());
        opened = { root: openRoot({ root: set.root!, exclude: set.exclude, hashes: set.publishHashes }), memory };
        roots.set(set.id, opened);
      }
      return opened;
    },
    async close() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        // What cannot be closed must not keep the rest open.
        await Promise.try(close).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

function openMemory(dataFolder: string, { id, root }: ResourceSet): ScanMemory {
  return new ScanMemory({ file: join(dataFolder, 'roots', `${id}.db`), root: root! });
}

function startRenderThread(workerData: { store: Configuration['store']; failpoint: string | undefined }): Worker {
  return startThread('./render-thread', import.meta.url, { workerData });
}
