import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';

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

export function readFollowCursor(catalog: Pick<Catalog, 'get'>, set: SetId): Promise<StoredFollowCursor | undefined> {
  return catalog.get<FollowCursor>('followed', cursorId(set));
}

/** @throws TidemarkError `conflict` when another process has replaced the cursor */
export async function putFollowCursor(
  catalog: Pick<Catalog, 'put'>,
  set: SetId,
  { body, before }: { readonly body: FollowCursor; readonly before: StoredFollowCursor | undefined },
): Promise<StoredFollowCursor> {
  const id = cursorId(set);
  return { id, version: await catalog.put('followed', id, body, before?.version), body };
}

/** Whether nothing is being posted: the set then has all changes of the stream below `through`, and no others. */
export function isAtRest({ until, comparing }: FollowCursor): boolean {
  return until === undefined && comparing === undefined;
}

function cursorId(set: SetId): string {
  return String(set).padStart(10, '0');
}
