import type { ChangeEvent } from '../../src/core/change.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { keyOfPath } from '../../src/core/key.ts';
import type { ResourceState } from '../../src/core/resource.ts';
import type { SetId } from '../../src/core/resource-set.ts';

export const URL_PREFIX = 'http://example.org/set/';

/** An event with a resource's state; `path` is below the root. */
export function upsert(set: SetId, path: string, state: ResourceState = { length: 1 }): ChangeEvent {
  const key = keyOfPath(path);
  return { set, key, state, weight: entryWeight(URL_PREFIX, key, state) };
}

export function deletion(set: SetId, path: string): ChangeEvent {
  const key = keyOfPath(path);
  return { set, key, state: undefined, weight: entryWeight(URL_PREFIX, key, undefined) };
}

/** Everything that an asynchronous iterable of batches yields. */
export async function collect<Item>(batches: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** Numbers in an order that is random and always the same. */
export function shuffled<Item>(items: readonly Item[], seed = 7): Item[] {
  const result = [...items];
  let state = seed;
  for (let at = result.length - 1; at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const other = state % (at + 1);
    [result[at], result[other]] = [result[other]!, result[at]!];
  }
  return result;
}
