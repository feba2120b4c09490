import { failureOf, isUploadMissing } from '../../lib/s3/s3-failure.ts';
import type { WriteRequests } from '../../lib/s3/write-requests.ts';
import { PROBE } from './require-conditional-writes.ts';

/** Milliseconds after which an upload that is neither completed nor aborted counts as one of a killed process. */
const ABANDONED_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** Aborts uploads that no process continues. Ignores a denial: the store works without it. */
export async function abortAbandonedUploads(requests: WriteRequests): Promise<void> {
  await abortUploads(requests, Date.now() - ABANDONED_AFTER_MS).catch(() => {});
}

/**
 * Aborts uploads that were begun before a time: the server charges for their parts, which no list of objects shows.
 * Deletes old probes, too. Returns their number.
 */
export async function removeUnfinished(requests: WriteRequests, before: number): Promise<number> {
  let removed = await abortUploads(requests, before);
  for await (const { objects } of requests.bucket.pages(PROBE)) {
    for (const { key } of objects.filter(({ lastModified }) => lastModified.getTime() < before)) {
      await requests.delete(key);
      removed += 1;
    }
  }
  return removed;
}

async function abortUploads(requests: WriteRequests, before: number): Promise<number> {
  const uploads = await requests.openUploads();
  const abandoned = uploads.filter(({ begun }) => begun < before);
  for (const { path, uploadId } of abandoned) {
    await requests.abortUpload(path, uploadId).catch((error: unknown) => {
      // Another process has just aborted it.
      if (!isUploadMissing(failureOf(error))) throw error;
    });
  }
  return abandoned.length;
}
