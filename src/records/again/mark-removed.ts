import { unlessConflict } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { NamedUpload, Upload } from '../arrivals/upload.ts';
import {
  isPartlyApplied,
  putUploadState,
  type RemovedUpload,
  readUploadState,
  statusOf,
  type UploadState,
} from '../arrivals/upload-state.ts';

/** The upload that a delivery removes; undefined when it removes none. */
export function removedBy({ organization, stream, readsAgain }: Upload): NamedUpload | undefined {
  const number = readsAgain?.removes;
  return number === undefined ? undefined : { organization, stream, number };
}

/**
 * Marks the upload that a delivery removes: from then on, no client can read it. One that is being applied is not
 * marked yet. One whose removal has failed is marked by this delivery in its place. Returns its state; undefined when
 * there is none.
 */
export async function markRemoved(
  catalog: Pick<Catalog, 'get' | 'put'>,
  delivery: Upload,
): Promise<UploadState | undefined> {
  const { number, received: at, by, readsAgain } = delivery;
  const upload = removedBy(delivery)!;
  const removed: RemovedUpload = { at, ...(by && { by }), reason: readsAgain?.reason ?? '', delivery: number };
  for (;;) {
    const before = await readUploadState(catalog, upload);
    const earlier = before?.body.removed;
    const isMarked =
      earlier !== undefined && (earlier.delivery === number || !(await hasFailed(catalog, upload, earlier)));
    if (isMarked || isPartlyApplied(before?.body ?? {})) return before?.body;
    const errata = earlier === undefined ? before?.body.read?.errata : earlier.errata;
    const body = { ...withoutTexts(before?.body ?? {}), removed: { ...removed, ...(errata && { errata }) } };
    if ((await unlessConflict(putUploadState(catalog, upload, { body, before }))) !== undefined) return body;
  }
}

/** Whether the delivery that removes an upload has failed for good: nothing of it was published. */
export async function hasFailed(
  catalog: Pick<Catalog, 'get'>,
  { organization, stream }: NamedUpload,
  { delivery: number }: RemovedUpload,
): Promise<boolean> {
  return statusOf((await readUploadState(catalog, { organization, stream, number }))?.body) === 'failed';
}

/** What is kept of the state: names of files, errata, their reasons and that of a failure may have text of it. */
export function withoutTexts({ read, failure: _, ...kept }: UploadState): UploadState {
  if (read === undefined) return kept;
  const { reasons: __, errata: ___, errataSha256: ____, ...counts } = read;
  return { ...kept, read: { ...counts, files: [] } };
}
