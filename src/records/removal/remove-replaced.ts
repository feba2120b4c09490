import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { unlessConflict } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { uploadsOf } from '../arrivals/upload.ts';
import type { UploadState } from '../arrivals/upload-state.ts';
import { followsDefault } from '../follows-default.ts';
import type { Organization, Stream } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { setOfStream } from '../stream-set-names.ts';
import { PAGE } from './measure-stream.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly index: Pick<ResourceStates, 'read'> & Pick<SetStatistics, 'summary'>;
  readonly sets: Pick<SetRegistry, 'list'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  readonly organizations: Pick<OrganizationRegistry, 'list'>;
}

/** A week, in which a full upload that was wrong can be removed at no cost. */
const LEFT_AFTER_MS = 7 * 86_400_000;

type StoredState = CatalogDocument<UploadState>;

/**
 * Deletes what was read of uploads before a full one, as far as no current record is stored there. Returns the number
 * of uploads.
 *
 * All events of such an upload are committed, and each key has an order of it or a higher one. So an event that a late
 * process posts again changes nothing, and no record is stored there again. A set that follows the default stream posts
 * what is new in its log, so it has to have followed all of it.
 */
export async function removeReplaced(
  parts: Parts,
  { signal, now = Date.now() }: { readonly signal: AbortSignal; readonly now?: number },
): Promise<number> {
  let removed = 0;
  for (const organization of await parts.organizations.list()) {
    for (const stream of organization.streams) {
      signal.throwIfAborted();
      removed += await removeReplacedOf(parts, { organization, stream, now });
    }
  }
  return removed;
}

async function removeReplacedOf(
  parts: Parts,
  { organization, stream, now }: { readonly organization: Organization; readonly stream: Stream; readonly now: number },
): Promise<number> {
  const replaced = await replacedBefore(parts.catalog, uploadsOf(organization.id, stream.id), now - LEFT_AFTER_MS);
  if (replaced.length === 0) return 0;
  const sets = await setsOf(parts, organization, stream);
  // Their kept versions may be stored there, too.
  if (sets === undefined || sets.some(({ keepVersions }) => keepVersions)) return 0;
  if (!(await followsDefault(parts, organization))) return 0;
  const used = await usedBy(sets, parts.index);
  let removed = 0;
  for (const state of replaced) {
    const { records, recordsSha256: _, ...read } = state.body.read!;
    if (records === undefined || used.has(records)) continue;
    const body: UploadState = { ...state.body, read, recordsRemoved: Date.now() };
    const put = parts.catalog.put('upload-state', state.id, body, state.version);
    if ((await unlessConflict(put)) === undefined) continue;
    failpoint('replaced.recorded');
    await parts.artifacts.delete(records);
    removed += 1;
  }
  return removed;
}

/** The states of processed uploads before the last full one that was applied before a time. */
async function replacedBefore(
  catalog: Parts['catalog'],
  prefix: string,
  appliedBefore: number,
): Promise<readonly StoredState[]> {
  let isFullFound = false;
  const replaced: StoredState[] = [];
  for await (const { documents } of latestPages<UploadState>(catalog, { kind: 'upload-state', prefix, limit: PAGE })) {
    for (const state of documents) {
      const { applied, read, removed } = state.body;
      if (isFullFound && applied !== undefined && read?.records !== undefined) replaced.push(state);
      const isFull = applied?.unmentioned !== undefined && removed === undefined;
      if (isFull && applied.at < appliedBefore) isFullFound = true;
    }
  }
  return replaced;
}

/** The sets whose records may be stored with the stream; undefined when one of them does not exist. */
async function setsOf(
  { sets }: Parts,
  { id: organization, defaultStream }: Organization,
  { id: stream, set }: Stream,
): Promise<readonly ResourceSet[] | undefined> {
  const all = await sets.list();
  const wanted = [setOfStream({ organization, stream, set }, 'records')];
  if (defaultStream !== undefined && set === undefined) wanted.push(setOfStream({ organization }, 'records'));
  const found = wanted.map((slug) => all.find((one) => one.slug === slug));
  return found.includes(undefined) ? undefined : (found as ResourceSet[]);
}

async function usedBy(sets: readonly ResourceSet[], index: Parts['index']): Promise<ReadonlySet<ObjectKey>> {
  const used = new Set<ObjectKey>();
  for (const { id } of sets) {
    for await (const batch of index.read(id, {})) {
      for (const { state } of batch) if (state?.record !== undefined) used.add(state.record.artifact);
    }
  }
  return used;
}
