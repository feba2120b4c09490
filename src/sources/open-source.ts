import { join } from 'node:path';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import type { Closers } from '../lib/calls/closers.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { EventPoster } from '../stores/event-poster.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { removeCopies } from './copy-folders.ts';
import { DatasetsSource, type DatasetsSourceParts } from './datasets/datasets-source.ts';
import type { ComparedFiles } from './files/compare-files.ts';
import { FileSource } from './files/file-source.ts';
import type { VersionStore } from './files/version-writer.ts';
import { locateContents } from './open-contents.ts';
import { ArtifactRecords } from './records/artifact/artifact-records.ts';
import { ArtifactSource, type ArtifactSourceParts } from './records/artifact/artifact-source.ts';
import { Comparer } from './records/artifact/comparer.ts';
import { DefaultStreams } from './records/stream/default-streams.ts';
import { openStream, type StreamSourceParts } from './records/stream/open-stream.ts';
import { StreamWatcher } from './records/stream/stream-watcher.ts';
import type { ServedSource } from './served-source.ts';
import { SetRoots } from './set-roots.ts';
import type { Source } from './source.ts';

export interface SourceParts extends ArtifactSourceParts, StreamSourceParts, DatasetsSourceParts {
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly artifacts: ArtifactStore;
  /**
   * The files of a set, what scans remember of them, and where their versions are stored. Only for a set with files.
   */
  rootOf(set: ResourceSet): Pick<ComparedFiles, 'root' | 'memory' | 'versions'>;
}

/** Opens the source that a set is synced with. @throws TidemarkError `invalid` for a set that others post to */
function openSource(set: ResourceSet, parts: SourceParts): Source {
  const { origin } = set;
  switch (origin.kind) {
    case 'posted':
      throw new TidemarkError('invalid', `the set ${set.slug} has no root and no records: its resources are posted`, {
        set: set.slug,
      });
    case 'folder':
    case 's3':
    case 'resourcesync':
      return new FileSource({ ...parts.rootOf(set), set, index: parts.index });
    case 'artifact':
      return new ArtifactSource(set, origin, parts);
    case 'stream':
    case 'uploads':
    case 'dump-files':
      return openStream(set, origin, parts);
    case 'datasets':
      return new DatasetsSource(set, parts);
  }
}

interface SourcesParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly index: ResourceIndex;
  readonly sets: StreamStores['sets'] &
    Parameters<typeof removeCopies>[1] & { recordVersions(slug: string): Promise<void> };
  readonly artifacts: ArtifactStore;
  readonly updater: EventPoster;
  /** When versions of a set were last removed; see VersionStore. */
  lastRemovals(set: SetId): ReturnType<VersionStore['lastRemovals']>;
}

/** What sets are synced with, and the bytes that they publish. */
export interface Sources extends ReturnType<typeof openSources> {}

/** `closers` close everything that this opens. */
export function openSources({ configuration, lastRemovals, ...stored }: SourcesParts, closers: Closers) {
  const { catalog, index, sets, artifacts } = stored;
  const { store, artifacts: artifactLocation, dataFolder, failpoint, recordsPollIntervalMs } = configuration;
  const comparer = new Comparer({ store, artifacts: artifactLocation, folder: join(dataFolder, 'spool'), failpoint });
  closers.add(() => comparer.close());
  const roots = new SetRoots(configuration, ({ id, slug }) => {
    return { set: id, artifacts, lastRemovals: () => lastRemovals(id), onAllKept: () => sets.recordVersions(slug) };
  });
  closers.add(() => roots.close());
  const records = new ArtifactRecords(artifacts, catalog);
  const ofStreams = openStreamParts({ catalog, index, sets });
  closers.add(() => ofStreams.watcher.close());
  const rootOf = (set: ResourceSet) => roots.of(set);
  const parts = { ...stored, ...ofStreams, rootOf, comparer, records, pollIntervalMs: recordsPollIntervalMs };
  const sourceOf = (set: ResourceSet) => openSource(set, parts);
  return {
    /** @throws TidemarkError `invalid` for a set that others post to */
    sourceOf,
    /** The source for requests. Undefined for a set that others post to and whose bytes others serve. */
    servedSourceOf: (set: ResourceSet) => openServed(set, parts),
    /** The content root of a set, and what scans remember of it. The same ones until settings of the set change. */
    rootOf,
    /** Closes the content root of a set that was removed, and what scans remember of it. */
    closeRootOf: (id: SetId) => roots.closeOf(id),
    contentsOf: (set: ResourceSet) =>
      locateContents(set, { artifacts: artifactLocation, rootLocationOf: (set) => roots.locationOf(set) }),
    records,
    /**
     * Checks that this process can read the root of a set: it exists, and has files if the set has resources.
     * @throws TidemarkError `unavailable`
     */
    async requireReadable(set: ResourceSet): Promise<void> {
      const source = sourceOf(set);
      if (source instanceof FileSource) await source.requireFiles();
    },
    /** Removes the copies that sets published which were removed. Returns how many there were. */
    removeCopies: () => removeCopies(dataFolder, sets),
  };
}

interface StreamStores {
  readonly catalog: Catalog;
  readonly index: ResourceIndex;
  readonly sets: { list(): Promise<readonly ResourceSet[]> };
}

/** Opens what the sources of all streams share; the caller closes `watcher`. */
export function openStreamParts({ catalog, index, sets }: StreamStores) {
  return { streams: new DefaultStreams(catalog, () => sets.list()), watcher: new StreamWatcher({ catalog, index }) };
}

/** Opens the source for requests. Undefined for a set that others post to and whose bytes others serve. */
export function openServed(set: ResourceSet, parts: SourceParts): ServedSource | undefined {
  return set.origin.kind === 'posted' ? undefined : openSource(set, parts);
}
