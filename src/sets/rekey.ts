import type { ChangeEvent } from '../core/change.ts';
import { entryWeight } from '../core/entry-weight.ts';
import { type ResourceKey, rightKey } from '../core/key.ts';
import type { Resource } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { ResourceStates } from '../stores/resource-states.ts';

type Index = Pick<ResourceStates, 'read' | 'lookup'> & Pick<ChangeLog, 'commit'>;
type Set = Pick<ResourceSet, 'id' | 'urlPrefix' | 'epochStart'>;

interface Misnamed {
  readonly resource: Resource;
  readonly key: ResourceKey;
}

/**
 * Gives every resource the key of its URI under the set's prefix. A resource that was posted as a URI elsewhere, and is
 * now below the prefix, is deleted under its old key and created under its new one, in one commit. If both keys have a
 * resource, the newer state wins, also one that is posted meanwhile; a deletion counts only if it is of this epoch.
 * Idempotent.
 */
export async function rekey(index: Index, set: Set): Promise<void> {
  const { origin } = new URL(set.urlPrefix);
  // Keys with the same origin as the prefix: "0" follows "/" in ASCII.
  for await (const batch of index.read(set.id, { from: `${origin}/`, to: `${origin}0` })) {
    const misnamed = batch.flatMap((resource) => {
      const key = rightKey(set.urlPrefix, resource.key);
      return key === resource.key ? [] : [{ resource, key }];
    });
    // The newest first: of two with the same new key, the second one is superseded.
    misnamed.sort((one, other) => other.resource.stamp - one.resource.stamp);
    if (misnamed.length > 0) await renameAll(index, set, misnamed);
  }
}

async function renameAll(index: Index, set: Set, misnamed: readonly Misnamed[]): Promise<void> {
  const others = await index.lookup(
    set.id,
    misnamed.map(({ key }) => key),
  );
  const { id, urlPrefix, epochStart } = set;
  const events: ChangeEvent[] = [];
  for (const [at, { resource, key }] of misnamed.entries()) {
    const { key: old, state, stamp } = resource;
    events.push({ set: id, key: old, state: undefined, weight: entryWeight(urlPrefix, old, undefined) });
    const other = others[at];
    const counts = other !== undefined && (other.state !== undefined || other.stamp > epochStart);
    if (counts && other.stamp > stamp) continue;
    // Superseded if a client has posted a newer state since the lookup.
    events.push({ set: id, key, state, weight: entryWeight(urlPrefix, key, state), basedOn: other?.stamp ?? 0 });
  }
  await index.commit(events);
}
