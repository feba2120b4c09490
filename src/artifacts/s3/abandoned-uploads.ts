import type { S3Objects } from './s3-objects.ts';

/** Milliseconds after which an upload that is neither completed nor aborted is one of a process that was killed. */
const LONG = 3 * 24 * 60 * 60 * 1000;

/** Aborts uploads that nobody goes on with: their parts are paid for, and listed nowhere. Where that is not permitted, it is left to others. */
export async function abortAbandonedUploads(objects: S3Objects, before = Date.now() - LONG): Promise<void> {
  try {
    const uploads = await objects.openUploads();
    const abandoned = uploads.filter(({ begun }) => begun < before);
    for (const { path, uploadId } of abandoned) await objects.abortUpload(path, uploadId);
  } catch {
    // What a store can do without need not be told.
  }
}
