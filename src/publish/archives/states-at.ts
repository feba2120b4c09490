import type { KeyRange } from '../../core/key.ts';
import type { Resource, Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';

type Stores = Pick<ResourceStates, 'read'> & Pick<SetStatistics, 'history'>;
type StateAt = Pick<Resource, 'key' | 'state'>;

/**
 * The resources of a range as of a boundary, ascending by key. For each resource that has changed since, the log is
 * read: so this is quick soon after the boundary, and always exact.
 */
export async function* statesAt(
  index: Stores,
  { set, range, at }: { readonly set: SetId; readonly range: KeyRange; readonly at: Stamp },
): AsyncGenerator<readonly StateAt[]> {
  for await (const batch of index.read(set, { ...range, tombstones: true })) {
    const found: StateAt[] = [];
    for (const resource of batch) {
      const state = resource.stamp < at ? resource.state : await stateBefore(index, { set, at, resource });
      if (state !== undefined) found.push({ key: resource.key, state });
    }
    yield found;
  }
}

async function stateBefore(
  index: Stores,
  { set, at, resource }: { readonly set: SetId; readonly at: Stamp; readonly resource: Resource | Tombstone },
): Promise<Resource['state'] | undefined> {
  const [last] = await index.history(set, resource.key, { before: at, limit: 1 });
  return last?.state;
}
