import type { Stamp } from '../core/stamp.ts';
import type { CatalogDocument } from '../stores/catalog.ts';
import { documentOfSet } from '../stores/document-of-set.ts';

/** How far a set without a stream in its name has followed the default stream: one document of the catalog. */
export interface FollowCursor {
  /**
   * Rises with every posted part. It is the position of the events of that part, so that the store drops those of a
   * process that is late.
   */
  readonly generation: number;
  /** The stream whose contents the set has, or is being given. */
  readonly stream: string;
  /**
   * For a set of records: a boundary. The set has all changes of the stream below it, unless both are being compared:
   * then the changes above it are posted after the comparison. Absent while it is not known yet.
   */
  readonly through?: Stamp;
  /** The end of the part of the stream's log that is being posted; absent when none is. */
  readonly until?: Stamp;
  /** Both sets are being compared completely. */
  readonly comparing?: true;
}

export type StoredFollowCursor = CatalogDocument<FollowCursor>;

export const { read: readFollowCursor, put: putFollowCursor } = documentOfSet<FollowCursor>('followed');

/** Whether nothing is being posted: the set then has all changes of the stream below `through`, and no others. */
export function isAtRest({ until, comparing }: FollowCursor): boolean {
  return until === undefined && comparing === undefined;
}
