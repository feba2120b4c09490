import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { readingsOf } from '../../artifacts/keys/stream-keys.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { type Upload, uploadsOf } from '../arrivals/upload.ts';
import type { UploadState } from '../arrivals/upload-state.ts';
import { StoredDumps } from '../dumps/stored-dumps.ts';
import { isListed } from '../dumps/stored-stream-dump.ts';
import { type StreamName, type StreamWithSet, setOfStream } from '../stream-set-names.ts';

/** What a removal frees. */
export interface Freed {
  readonly uploads: number;
  /** Number of live records. */
  readonly records: number;
  readonly dumps: number;
  /** Bytes of the files of uploads and dumps, and of what was read of uploads. */
  readonly bytes: number;
}

export interface MeasureParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly index: Pick<SetStatistics, 'summary'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly artifacts: Pick<ArtifactStore, 'list'>;
}

/** Number of uploads that are read at a time: each has up to 1,000 files. */
export const PAGE = 25;
const NOTHING: Freed = { uploads: 0, records: 0, dumps: 0, bytes: 0 };

/** Reads all uploads of the stream, so the time grows with their number. */
export async function measureStream(name: StreamWithSet & { readonly stream: string }, parts: MeasureParts) {
  const files = await measureFiles(name, parts);
  const dumps = await measureDumps(name, parts);
  const read = await bytesBelow(readingsOf(name), parts.artifacts);
  const { records } = await recordsOf(name, parts);
  return added(files, added(dumps, { ...NOTHING, records, bytes: read }));
}

/** The dumps of the default stream. */
export async function measureDumps(name: StreamName, { catalog }: Pick<MeasureParts, 'catalog'>): Promise<Freed> {
  const stored = (await new StoredDumps(catalog).all(name)).map(({ body }) => body);
  const files = stored.flatMap(({ files }) => files);
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  return { ...NOTHING, dumps: stored.filter(isListed).length, bytes };
}

export function added(one: Freed, other: Freed): Freed {
  return {
    uploads: one.uploads + other.uploads,
    records: one.records + other.records,
    dumps: one.dumps + other.dumps,
    bytes: one.bytes + other.bytes,
  };
}

/** Files that several uploads name count once. */
async function measureFiles(
  { organization, stream }: { readonly organization: string; readonly stream: string },
  { catalog }: Pick<MeasureParts, 'catalog'>,
): Promise<Freed> {
  const lengths = new Map<ObjectKey, number>();
  let uploads = 0;
  const prefix = uploadsOf(organization, stream);
  for await (const { documents, before } of latestPages<Upload>(catalog, { kind: 'upload', prefix, limit: PAGE })) {
    const states = await catalog.latest<UploadState>('upload-state', prefix, { before, limit: PAGE });
    uploads += documents.filter(({ body }) => !body.ofRemovedStream).length;
    const files = [...documents.flatMap(({ body }) => body.files), ...states.flatMap(({ body }) => body.fetched ?? [])];
    for (const { artifact, length } of files) lengths.set(artifact, length);
  }
  return { ...NOTHING, uploads, bytes: [...lengths.values()].reduce((sum, length) => sum + length, 0) };
}

async function bytesBelow(prefix: ObjectKey, artifacts: Pick<ArtifactStore, 'list'>): Promise<number> {
  let bytes = 0;
  for await (const batch of artifacts.list(prefix)) for (const { length } of batch) bytes += length;
  return bytes;
}

async function recordsOf(name: StreamWithSet, { sets, index }: MeasureParts): Promise<{ readonly records: number }> {
  try {
    const { resources } = await index.summary((await sets.bySlug(setOfStream(name, 'records'))).id);
    return { records: resources };
  } catch (error) {
    // Not made yet, or removed by an attempt that was killed.
    if (isTidemarkError(error, 'not-found') || isTidemarkError(error, 'gone')) return { records: 0 };
    throw error;
  }
}
