import { setTimeout as wait } from 'node:timers/promises';
import type { Catalog } from '../../stores/catalog.ts';
import { type NamedUpload, parseUploadId, uploadId, uploadsOf } from '../arrivals/upload.ts';
import { statusOf, type UploadState } from '../arrivals/upload-state.ts';

/** Number of states that are read at a time: each has the names of up to a thousand files. */
const PAGE = 50;
const POLL_MS = 500;

interface WaitOptions {
  readonly signal: AbortSignal;
  /** Milliseconds; as long as necessary, if undefined. */
  readonly mostMs?: number | undefined;
}

/**
 * Whether all uploads of the stream with lower numbers have ended: each was applied, or has failed for good. A full run
 * has waited for those below it, so no others are read when it was applied.
 */
export async function haveLowerEnded(
  catalog: Pick<Catalog, 'latest'>,
  { organization, stream, number }: NamedUpload,
): Promise<boolean> {
  const prefix = uploadsOf(organization, stream);
  for (let lower = number - 1; lower > 0; ) {
    const before = uploadId(organization, stream, lower + 1);
    const states = await catalog.latest<UploadState>('upload-state', prefix, { before, limit: PAGE });
    if (states.length === 0) return false;
    for (const { id, body } of states) {
      // Numbers have no gaps: an upload in between has no state yet.
      if (parseUploadId(id).number !== lower || !hasEnded(body)) return false;
      if (body.applied?.unmentioned !== undefined) return true;
      lower -= 1;
    }
  }
  return true;
}

/** One that was removed before it was applied will not be; it is not removed while it is being applied. */
const hasEnded = (state: UploadState): boolean => ['processed', 'failed', 'removed'].includes(statusOf(state));

/**
 * Resolves when they have ended, or after a time. Returns whether they have.
 * @throws the signal's reason when it is aborted
 */
export async function lowerEnded(
  catalog: Pick<Catalog, 'latest'>,
  upload: NamedUpload,
  { signal, mostMs = Number.POSITIVE_INFINITY }: WaitOptions,
): Promise<boolean> {
  const end = performance.now() + mostMs;
  while (!(await haveLowerEnded(catalog, upload))) {
    if (performance.now() >= end) return false;
    await wait(POLL_MS, undefined, { signal });
  }
  return true;
}
