import type { ChangeEvent } from '../../core/change.ts';
import { entryWeight } from '../../core/entry-weight.ts';
import { decodeState, encodeState, type Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { ScratchRow } from './scratch.ts';

const PER_POSTING = 2_000;

/** Changes found in resource documents only, not in change documents. */
export interface SettledStates {
  created: number;
  updated: number;
  deleted: number;
}

interface Settling {
  readonly set: ResourceSet;
  readonly index: Pick<ResourceStates, 'read'>;
  /** The states of the resource documents, ascending by key. */
  readonly documents: Iterable<ScratchRow>;
  post(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]>;
  readonly signal: AbortSignal | undefined;
  /** @param compared number of resources since the last call */
  onProgress(compared: number): void;
}

/**
 * Sets the state to that of the resource documents, by changes of the present time. The resource of a rejected document
 * stays unchanged.
 */
export async function settleStates(settling: Settling): Promise<SettledStates> {
  const { post, signal } = settling;
  const settled: SettledStates = { created: 0, updated: 0, deleted: 0 };
  let events: ChangeEvent[] = [];
  const flush = async () => {
    for (const result of await post(events)) if (result.status === 'applied') settled[result.kind] += 1;
    events = [];
    signal?.throwIfAborted();
  };
  for await (const event of differences(settling)) {
    events.push(event);
    if (events.length === PER_POSTING) await flush();
  }
  await flush();
  return settled;
}

/** Walks through both in key order. */
async function* differences({ set, index, documents, onProgress }: Settling): AsyncIterable<ChangeEvent> {
  const rows = documents[Symbol.iterator]();
  let row = rows.next();
  for await (const batch of index.read(set.id, {})) {
    for (const resource of batch) {
      const { key } = resource;
      for (; !row.done && row.value.key < key; row = rows.next())
        if (row.value.state !== null) yield upsert(set, row.value);
      if (row.done || row.value.key !== key) yield deletion(set, resource);
      else {
        if (row.value.state !== null && differs(row.value, resource)) yield upsert(set, row.value, resource.order);
        row = rows.next();
      }
    }
    onProgress(batch.length);
  }
  for (; !row.done; row = rows.next()) if (row.value.state !== null) yield upsert(set, row.value);
}

function differs({ state, order }: ScratchRow, resource: Resource): boolean {
  return state !== encodeState(resource.state) || (order ?? -1) > (resource.order ?? -1);
}

/** The resource document is the state, even when a change had a higher order: then it is posted without an order. */
function upsert({ id }: ResourceSet, { key, state, weight, order }: ScratchRow, known = -1): ChangeEvent {
  const event = { set: id, key, state: decodeState(state!), weight };
  return order === null || order < known ? event : { ...event, order };
}

function deletion({ id, urlPrefix }: ResourceSet, { key }: Resource): ChangeEvent {
  return { set: id, key, state: undefined, weight: entryWeight(urlPrefix, key, undefined) };
}
