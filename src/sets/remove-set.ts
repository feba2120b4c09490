import { TidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import { type StoredSet, toStoredSet } from '../core/stored-set.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';

const BATCH = 10_000;

interface Stores {
  readonly catalog: Pick<Catalog, 'put'>;
  readonly index: Pick<ChangeLog, 'mark' | 'tail'> & Pick<SetStatistics, 'summary'>;
}

/**
 * Marks a set as removed. Returns whether it never had a change: no client has copied it then, and its slug can be
 * reused.
 * @throws TidemarkError `conflict` when the document has changed
 */
export async function removeSet({ catalog, index }: Stores, document: CatalogDocument<ResourceSet>): Promise<boolean> {
  const { id, version, body } = document;
  const since = await index.mark();
  const { changes } = await index.summary(body.id);
  const removed: StoredSet = { ...toStoredSet(body), removed: since };
  const put = await catalog.put('set', id, removed, version);
  if (changes > 0 || (await hasChangesSince(index, body.id, since))) return false;
  await catalog.put('set', id, { ...removed, unused: true } satisfies StoredSet, put);
  return true;
}

/**
 * Requires that a set can be removed separately.
 * @throws TidemarkError `conflict` for a set that exists as long as its organization
 */
export function requireRemovable({ slug, origin }: Pick<ResourceSet, 'slug' | 'origin'>): void {
  const { stream, source } = traitsOf(origin);
  if (stream === undefined) return;
  throw new TidemarkError(
    'conflict',
    `the set ${slug} has ${source}, and exists as long as that organization: to let only some read it, run "tidemark organizations change ${stream.organization} --private"`,
    { set: slug, organization: stream.organization },
  );
}

/**
 * Requires that the removal of a set that clients may have copied is confirmed.
 * @throws TidemarkError `conflict`
 */
export function requireConfirmed(slug: string, changes: number, isConfirmed: boolean): void {
  if (changes === 0 || isConfirmed) return;
  const number = changes === 1 ? '1 change' : `${changes} changes`;
  throw new TidemarkError(
    'conflict',
    `the set ${slug} has ${number}: clients lose it for good, and its id cannot be used again. Confirm that it is to be removed`,
    { set: slug },
  );
}

/** A client may have posted to it while it was removed. After this mark, that is impossible. */
async function hasChangesSince(index: Stores['index'], set: SetId, since: Stamp): Promise<boolean> {
  await index.mark();
  for (let after = since; ; ) {
    const entries = await index.tail(after, BATCH);
    if (entries.some((entry) => entry.set === set)) return true;
    if (entries.length < BATCH) return false;
    after = entries.at(-1)!.stamp;
  }
}
