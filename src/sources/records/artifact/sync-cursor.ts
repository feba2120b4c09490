import type { FoundArtifact } from '../../../artifacts/find-artifacts.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { ComparedArtifact } from '../../../records/digests/digest-records.ts';
import type { CatalogDocument } from '../../../stores/catalog.ts';
import { documentOfSet } from '../../../stores/document-of-set.ts';

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

export const { read: readCursor, put: putCursor } = documentOfSet<SyncCursor>('records');

/** Whether the states have all the hashes that the set publishes. */
export function hasHashesOf({ hashesSince = 0 }: SyncCursor, set: Pick<ResourceSet, 'hashesSince'>): boolean {
  return hashesSince >= (set.hashesSince ?? 0);
}

export function comparedArtifact({ key, schema, start }: FoundArtifact): ComparedArtifact {
  return { key, schema, start: Math.floor(start.getTime() / 1000) };
}
