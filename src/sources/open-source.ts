import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { TidemarkError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { ComparedFiles } from './files/compare-files.ts';
import { FileSource } from './files/file-source.ts';
import { ArtifactSource, type ArtifactSourceParts } from './records/artifact/artifact-source.ts';
import { DefaultStreams } from './records/stream/default-streams.ts';
import { openStream, type StreamSourceParts } from './records/stream/open-stream.ts';
import { StreamWatcher } from './records/stream/stream-watcher.ts';
import type { ServedSource } from './served-source.ts';
import type { Source } from './source.ts';

export interface SourceParts extends ArtifactSourceParts, StreamSourceParts {
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly artifacts: ArtifactStore;
  /**
   * The files of a set, what scans remember of them, and where their versions are stored. Only for a set with files.
   */
  rootOf(set: ResourceSet): Pick<ComparedFiles, 'root' | 'memory' | 'versions'>;
}

/** Opens the source that a set is synced with. @throws TidemarkError `invalid` for a set that others post to */
export function openSource(set: ResourceSet, parts: SourceParts): Source {
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
  }
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
