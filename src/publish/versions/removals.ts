import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { documentOfSet } from '../../stores/document-of-set.ts';

/** A reserved period in which versions of a set are removed. */
interface RemovalReservation {
  /** Rises with every reservation. */
  readonly number: number;
  /**
   * Milliseconds since 1970 at which it ends at the latest, even when its process was killed; absent when it has ended.
   */
  readonly until?: number;
}

const RESERVED_MS = 60_000;
/** Milliseconds within which removals are started: the rest of the reservation is for running requests. */
const BEGINS_WITHIN_MS = 6_000;

/**
 * Removes some versions of a set in a reserved period that scans can read. Without it, a request that was decided
 * earlier could, in a bucket, remove bytes that a scan has just written again. See `VersionWriter`.
 * @param remove must start no removal when `isOver` returns true
 * @throws TidemarkError `conflict` when another process is removing versions of the set
 */
export async function inReservedPeriod(
  { catalog, set }: { readonly catalog: Pick<Catalog, 'get' | 'put'>; readonly set: ResourceSet },
  remove: (isOver: () => boolean) => Promise<void>,
): Promise<void> {
  const before = await readReservation(catalog, set.id);
  const begun = Date.now();
  const number = (before?.body.number ?? 0) + 1;
  // The reservation of a process that was killed, or may still run, lasts until its own end.
  const others = before?.body.until ?? 0;
  const put = async (until: number, replaces: number | undefined) => {
    const body: RemovalReservation = { number, ...(until > Date.now() && { until }) };
    return putReservation(catalog, set.id, { body, replaces }).catch((error: unknown) => {
      if (!isTidemarkError(error, 'conflict')) throw error;
      const message = `another process is removing versions of "${set.slug}": try again when it has ended`;
      throw new TidemarkError('conflict', message, { set: set.slug }, error);
    });
  };
  const { version } = await put(Math.max(begun + RESERVED_MS, others), before?.version);
  await remove(() => Date.now() - begun > BEGINS_WITHIN_MS);
  await put(others, version);
}

export const { read: readReservation, put: putReservation } = documentOfSet<RemovalReservation>('removals');
