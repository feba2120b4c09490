import type { WriteRequests } from './write-requests.ts';

/** Milliseconds after which an upload that is neither completed nor aborted is taken for one of a killed process. */
const ABANDONED_AFTER_MS = 3 * 24 * 60 * 60 * 1000;

/** Aborts uploads that no process continues: the server charges for their parts, and no list of objects has them. */
export async function abortAbandonedUploads(
  requests: WriteRequests,
  before = Date.now() - ABANDONED_AFTER_MS,
): Promise<void> {
  try {
    const uploads = await requests.openUploads();
    const abandoned = uploads.filter(({ begun }) => begun < before);
    for (const { path, uploadId } of abandoned) await requests.abortUpload(path, uploadId);
  } catch {
    // The store works without it, and some credentials do not permit it.
  }
}
