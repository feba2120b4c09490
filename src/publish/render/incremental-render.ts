import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Change } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import { boundaryAfter, type Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { RenderedEntries } from './documents/rendered-entries.ts';
import { URLSET_END } from './documents/sitemap.ts';
import {
  type ChangesJob,
  pageEntries,
  pageHead,
  type RenderJob,
  type ResourcePageJob,
  renderChangesAfter,
} from './render-job.ts';

/** Most changes of the set for updating a page; with more changes, reading the page itself may be cheaper. */
const MOST_CHANGES = 1_000;

/** A version of a document on disk. */
export interface OlderVersion {
  /** The file of its body, in gzip. */
  readonly file: string;
  /** Bytes of its text. */
  readonly length: number;
  /** The stamp up to which it contains every change. */
  readonly newest: Stamp;
}

/**
 * The common basis of two versions of a document, when the newer one can be made from the older one and the changes
 * between them: unchanged resources then need not be read. Undefined for documents that are always rendered completely.
 */
export function basisOf(job: RenderJob): string | undefined {
  if (job.kind === 'changes') return JSON.stringify(job.head);
  if (job.kind === 'resource-page' && job.createdBefore === undefined) return JSON.stringify(job.range);
  return undefined;
}

/**
 * A document as text, made from an older version of it with the same basis. Undefined when it has to be rendered
 * completely: the older one is missing or not readable, or too much has changed.
 */
export async function renderIncrementally(
  job: RenderJob,
  older: OlderVersion,
  index: ChangeLog & ResourceStates & SetStatistics,
): Promise<AsyncIterable<string | Buffer> | undefined> {
  if (job.kind === 'changes') {
    const entries = await readEntries(older);
    return entries && appendChanges(job, older, entries, index);
  }
  if (job.kind !== 'resource-page') return undefined;
  const changes = await index.latest(job.set, {
    after: boundaryAfter(older.newest),
    before: job.head.at,
    limit: MOST_CHANGES + 1,
  });
  if (changes.length > MOST_CHANGES) return undefined;
  const entries = await readEntries(older);
  return entries && replaceEntries(job, changes, entries);
}

/** Appends changes; earlier entries do not change. */
async function* appendChanges(
  job: ChangesJob,
  { newest }: OlderVersion,
  { bytes, place }: RenderedEntries,
  index: ChangeLog & ResourceStates & SetStatistics,
): AsyncIterable<string | Buffer> {
  yield bytes.subarray(0, place.to);
  yield* renderChangesAfter(boundaryAfter(newest), job, index);
}

/**
 * The older version may contain newer states of some resources than its time requires. Resources that changed since get
 * their state at the time of the newer version. So each is as it was then, or later, as in a page that is read from the
 * store.
 * @param changes newest first
 */
async function* replaceEntries(
  job: ResourcePageJob,
  changes: readonly Change[],
  entries: RenderedEntries,
): AsyncIterable<string | Buffer> {
  const { from = '', to } = job.range;
  const changed = new Map<ResourceKey, Change>();
  for (const change of changes) {
    const { key } = change;
    if (key >= from && (to === undefined || key < to) && !changed.has(key)) changed.set(key, change);
  }
  yield pageHead(job);
  let done = entries.place.from;
  for (const key of [...changed.keys()].sort()) {
    const place = entries.find(key, job.style.urlPrefix);
    yield entries.bytes.subarray(done, place.from);
    const { state, stamp } = changed.get(key)!;
    if (state !== undefined) yield pageEntries([{ key, state, stamp }], job);
    done = place.to;
  }
  yield entries.bytes.subarray(done, entries.place.to);
  yield URLSET_END;
}

async function readEntries({ file, length }: OlderVersion): Promise<RenderedEntries | undefined> {
  try {
    const options = { chunkSize: Math.max(length, 1024), maxOutputLength: length };
    return new RenderedEntries(await promisify(gunzip)(await readFile(file), options));
  } catch {
    // Removed meanwhile, by another process or to free space, or incomplete.
    return undefined;
  }
}
