import type { FoundArtifact } from '../../artifacts/find-artifacts.ts';
import type { ComparedArtifact } from '../../artifacts/records/digest-records.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';

/** How far a set of records is synced: one document of the catalog. */
export interface SyncCursor extends ComparedArtifact {
  /**
   * Rises with every artifact that the set is made to mirror, also when it goes back to an older one. It is the
   * position of the events of that sync, so that the store drops those of a process that is late.
   */
  readonly generation: number;
  /** The `hashesSince` of the set when the states were hashed. */
  readonly hashesSince?: Stamp | undefined;
  /** Time when all differences were posted, as ISO 8601; absent while they are being posted. */
  readonly compared?: string;
  /** Number of records of the artifact, once it was compared. */
  readonly records?: number;
}

export type StoredCursor = CatalogDocument<SyncCursor>;

export function readCursor(catalog: Pick<Catalog, 'get'>, set: SetId): Promise<StoredCursor | undefined> {
  return catalog.get<SyncCursor>('records', cursorId(set));
}

/**
 * Records which artifact the set mirrors from now on.
 * @throws TidemarkError `conflict` when another process did so meanwhile
 */
export async function putCursor(
  catalog: Pick<Catalog, 'put'>,
  set: SetId,
  { body, before }: { readonly body: SyncCursor; readonly before: StoredCursor | undefined },
): Promise<StoredCursor> {
  const id = cursorId(set);
  const version = await catalog.put('records', id, body, before?.version);
  return { id, version, body };
}

/**
 * The generation after a sync cursor. It is never below the seconds since 1970: so it rises even when the cursor was
 * lost with its store and the log still has its positions.
 */
export function nextGeneration(before: StoredCursor | undefined): number {
  return Math.max((before?.body.generation ?? 0) + 1, Math.floor(Date.now() / 1000));
}

/** Whether the states have all the hashes that the set publishes. */
export function hasHashesOf({ hashesSince = 0 }: SyncCursor, set: Pick<ResourceSet, 'hashesSince'>): boolean {
  return hashesSince >= (set.hashesSince ?? 0);
}

export function comparedArtifact({ key, schema, start }: FoundArtifact): ComparedArtifact {
  return { key, schema, start: Math.floor(start.getTime() / 1000) };
}

function cursorId(set: SetId): string {
  return String(set).padStart(10, '0');
}
