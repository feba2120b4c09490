import type { ResourceSet } from '../core/resource-set.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';
import { isAtRest, readFollowCursor } from './follow-cursor.ts';
import type { Organization } from './organization.ts';
import { setOfStream } from './stream-set-names.ts';

interface FollowParts {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly index: Pick<SetStatistics, 'summary'>;
  readonly sets: { list(): Promise<readonly ResourceSet[]> };
}

/** Whether the set of an organization has all records of its default stream, and no others. */
export async function followsDefault(
  { catalog, index, sets }: FollowParts,
  { id: organization, defaultStream: stream }: Pick<Organization, 'id' | 'defaultStream'>,
): Promise<boolean> {
  if (stream === undefined) return true;
  const all = await sets.list();
  const idOf = (slug: string) => all.find((set) => set.slug === slug)?.id;
  const [set, followed] = [organization, setOfStream({ organization, stream }, 'records')].map(idOf);
  if (set === undefined || followed === undefined) return false;
  const cursor = (await readFollowCursor(catalog, set))?.body;
  if (cursor?.stream !== stream || !isAtRest(cursor)) return false;
  // Read after the cursor: changes made since then are not in the set.
  const { lastChange } = await index.summary(followed);
  return lastChange < (cursor.through ?? 0);
}
