import type { KeyRange, ResourceKey } from '../../../core/key.ts';
import type { Resource, ResourceState } from '../../../core/resource.ts';
import { encodeState } from '../../../core/resource.ts';
import type { SetId } from '../../../core/resource-set.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { Difference, SyncStep } from '../../source.ts';
import type { SyncCounter } from '../../sync-counter.ts';
import { type DeliveredFile, type Deliveries, type Delivery, keysOf, numberOfKey } from './delivered-files.ts';

export interface ComparedDeliveries {
  readonly index: Pick<ResourceStates, 'read'>;
  readonly set: SetId;
  readonly deliveries: Deliveries;
  readonly counter: SyncCounter;
  readonly signal?: AbortSignal | undefined;
}

/** Compares all deliveries with the set, the newest first. Only one page of them is in memory. */
export async function* compareDeliveries(compared: ComparedDeliveries): AsyncGenerator<SyncStep> {
  let to: ResourceKey | undefined;
  let page: readonly Delivery[] | undefined;
  for await (const next of compared.deliveries.pages()) {
    compared.signal?.throwIfAborted();
    if (page !== undefined) {
      const { from } = keysOf(page.at(-1)!.number);
      yield { differences: await compareRange(compared, page, { from, to }) };
      to = from;
    }
    page = next;
  }
  yield { differences: await compareRange(compared, page ?? [], { to }) };
}

/** Compares some deliveries with the set. */
export async function compareNumbers(
  compared: ComparedDeliveries,
  numbers: readonly number[],
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const number of numbers) {
    const delivery = { number, files: await compared.deliveries.at(number) };
    differences.push(...(await compareRange(compared, [delivery], keysOf(number))));
  }
  return differences;
}

async function compareRange(
  { index, set, deliveries, counter }: ComparedDeliveries,
  page: readonly Delivery[],
  range: KeyRange,
): Promise<readonly Difference[]> {
  const wanted = new Map(page.flatMap(({ files }) => files).map((file) => [file.key, file.state]));
  const surplus: Resource[] = [];
  const differences: Difference[] = [];
  for await (const resources of index.read(set, range)) {
    for (const resource of resources) {
      const { key, state: known } = resource;
      const state = wanted.get(key);
      wanted.delete(key);
      if (state === undefined) surplus.push(resource);
      else if (isSame(state, known)) counter.unchanged();
      else differences.push({ key, state, known });
      if (state !== undefined) counter.file();
    }
  }
  for (const [key, state] of wanted) {
    counter.file();
    differences.push({ key, state, known: undefined });
  }
  return [...differences, ...(await removed(surplus, deliveries))];
}

/**
 * Of resources without a file, those that still have none. The states were read after the deliveries, so another
 * process may have posted files of a delivery that came in between.
 */
async function removed(surplus: readonly Resource[], deliveries: Deliveries): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const [number, resources] of Map.groupBy(surplus, ({ key }) => numberOfKey(key))) {
    const files: readonly DeliveredFile[] = number === undefined ? [] : await deliveries.at(number);
    const keys = new Set(files.map(({ key }) => key));
    for (const { key, state: known, stamp: basedOn } of resources) {
      if (!keys.has(key)) differences.push({ key, state: undefined, known, basedOn });
    }
  }
  return differences;
}

function isSame(one: ResourceState, other: ResourceState): boolean {
  return encodeState(one) === encodeState(other);
}
