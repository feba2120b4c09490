import { join } from 'node:path';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Closers } from '../lib/calls/closers.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { ContentsLocation } from '../sources/open-contents.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { DumpArchives } from './archives/dump-archives.ts';
import { KeptLists } from './archives/kept-lists.ts';
import { KnownArchives } from './archives/known-archives.ts';
import { ListArchives } from './archives/list-archives.ts';
import { DocumentCache, type Render } from './cache/document-cache.ts';
import { FreshDocuments } from './cache/fresh-documents.ts';
import { Renderer } from './cache/renderer.ts';
import type { DocumentPublisher } from './document-publisher.ts';
import { ChangeDumps } from './dumps/change-dumps.ts';
import { Dumps } from './dumps/dumps.ts';
import { KnownDumps } from './dumps/known-dumps.ts';
import { Packer } from './dumps/packer.ts';
import { Publisher } from './publisher.ts';
import { VersionPruner } from './versions/version-pruner.ts';
import { Versions } from './versions/versions.ts';

interface PublishingParts {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  /** Counters of the requests of render threads to the store. */
  readonly requests: SharedArrayBuffer;
  /** Wraps rendering, to measure it. */
  aroundRender(render: Render): Render;
  contentsOf(set: ResourceSet): ContentsLocation;
  /** A packer that was already started. */
  readonly packer?: Packer | undefined;
}

/** Publishes current and archived documents and dumps. */
export interface Publishing {
  readonly publisher: Publisher;
  readonly cache: DocumentCache;
  readonly dumps: Dumps;
  readonly knownDumps: KnownDumps;
  readonly knownArchives: KnownArchives;
  readonly listArchives: ListArchives;
  readonly versions: Versions;
  readonly versionPruner: VersionPruner;
  /** A second publisher that renders each document from the store instead of the cache, for comparison. */
  freshPublisher(): DocumentPublisher;
  /** Resolves when the documents of an earlier process are counted. */
  readonly cacheScan: Promise<void>;
}

/** `closers` close everything that this opens. */
export function openPublishing(parts: PublishingParts, closers: Closers): Publishing {
  const { index, catalog, sets, artifacts, contentsOf } = parts;
  const { hub, dataFolder, cacheBytes, store, failpoint, artifacts: artifactLocation } = parts.configuration;
  const renderer = new Renderer({ store, artifacts: artifactLocation, failpoint, requests: parts.requests });
  closers.add(() => renderer.close());
  const cache = new DocumentCache({
    folder: join(dataFolder, 'documents'),
    mostBytes: cacheBytes,
    render: parts.aroundRender((record, task) => renderer.render(record, task)),
  });
  const cacheScan = cache.scan();
  closers.add(() => cacheScan);
  const packer = parts.packer ?? new Packer({ store, artifacts: artifactLocation });
  closers.add(() => packer.close());

  const archives = new KnownArchives(catalog);
  const dumpArchives = new DumpArchives({ catalog, sets, artifacts, known: archives });
  const knownDumps = new KnownDumps(catalog, (set, name) => dumpArchives.packageOf(set, name));
  const published = { index, catalog, sets, renderer, dumps: knownDumps, archives, dumpArchives, hub };
  const publisher = new Publisher({ ...published, cache });
  closers.add(() => publisher.close());

  const packed = { catalog, sets, artifacts, packer, contentsOf };
  const publishedSet = (slug: string) => publisher.publishedSet(slug);
  const changes = new ChangeDumps({ ...packed, index, publishedSet });
  return {
    publisher,
    cache,
    cacheScan,
    knownDumps,
    knownArchives: archives,
    freshPublisher: () => new Publisher({ ...published, cache: new FreshDocuments(index, new KeptLists(artifacts)) }),
    dumps: new Dumps({
      ...packed,
      known: knownDumps,
      changes,
      planDump: (slug) => publisher.planDump(slug),
      archivedPackages: (set) => dumpArchives.packagesOf(set),
    }),
    listArchives: new ListArchives({
      catalog,
      sets,
      artifacts,
      known: archives,
      dumps: dumpArchives,
      planKeeping: (slug) => publisher.planKeeping(slug),
      keepPage: (job, signal) => renderer.keepPage(job, signal),
    }),
    versions: new Versions({ index, artifacts }),
    versionPruner: new VersionPruner({
      catalog,
      sets,
      index,
      artifacts,
      changeDumps: changes,
      scratchFolder: join(dataFolder, 'spool'),
    }),
  };
}
