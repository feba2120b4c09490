import { entryWeight } from '../../core/entry-weight.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { CatalogDocument } from '../../stores/catalog.ts';
import type { EventPoster } from '../../stores/event-poster.ts';

interface Generation {
  readonly generation: number;
}

/** Key of the event that takes a position. No resource has it: ids and names are never empty. */
const NO_RESOURCE: ResourceKey = '/';

/** A position of the log: the generation of a cursor. */
type GenerationPosition = ReturnType<typeof positionOf>;

export function positionOf(source: 'records' | 'stream' | 'scan', { generation }: Generation) {
  return { source, position: generation, sharesPosition: true } as const;
}

/**
 * The generation after a cursor. It is never below the seconds since 1970: so it rises even when the cursor was lost
 * with its store and the log still has its positions.
 */
export function nextGeneration(before: Pick<CatalogDocument<Generation>, 'body'> | undefined): number {
  return Math.max((before?.body.generation ?? 0) + 1, Math.floor(Date.now() / 1000));
}

/**
 * Posts an event that changes nothing but takes a position: from then on, the store drops every event of a lower one.
 * Returns false when another process is ahead, or the log has a higher position than the catalog.
 * @throws TidemarkError `not-found` when the set was removed
 */
export async function takePosition(
  { id, urlPrefix }: Pick<ResourceSet, 'id' | 'urlPrefix'>,
  position: GenerationPosition,
  updater: EventPoster,
): Promise<boolean> {
  const weight = entryWeight(urlPrefix, NO_RESOURCE, undefined);
  const event = { set: id, key: NO_RESOURCE, state: undefined, weight, ...position };
  const [result] = await updater.post([event]);
  if (result!.status === 'rejected') throw new TidemarkError('not-found', result!.message);
  return result!.status === 'applied' || result!.reason !== 'repeated';
}
