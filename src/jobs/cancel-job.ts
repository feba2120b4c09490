import { TidemarkError, unlessConflict } from '../core/errors.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { type NamedUpload, uploadId } from '../streams/uploads/upload.ts';
import { isPartlyApplied, putUploadState, readUploadState } from '../streams/uploads/upload-state.ts';
import { processUpload } from './kinds/process-upload.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly jobs: Pick<JobQueue, 'get' | 'cancel'>;
}

/**
 * Cancels a job on request of a user. A job that has started to publish an upload continues, because dumps wait for the
 * rest. Any other upload is then marked as failed, so that its page shows the reason, and a user can retry it.
 * @throws TidemarkError `not-found`; `conflict` when it has ended, or has published a part of an upload
 */
export async function cancelJob({ catalog, jobs }: Parts, name: string): Promise<Job> {
  const { kind, payload } = await jobs.get(name);
  if (kind === processUpload.kind) await requireUnpublished(catalog, payload as NamedUpload);
  const job = await jobs.cancel(name);
  if (kind === processUpload.kind) await recordFailure(catalog, payload as NamedUpload);
  return job;
}

async function recordFailure(catalog: Parts['catalog'], upload: NamedUpload): Promise<void> {
  const before = await readUploadState(catalog, upload);
  const { applying, ...done } = before?.body ?? {};
  if (applying !== undefined) return;
  const failure = { at: Date.now(), error: 'its job was cancelled', isFinal: true };
  const put = await unlessConflict(putUploadState(catalog, upload, { body: { ...done, failure }, before }));
  // The job has recorded a step meanwhile.
  if (put === undefined) await recordFailure(catalog, upload);
}

async function requireUnpublished(catalog: Parts['catalog'], upload: NamedUpload): Promise<void> {
  const state = await readUploadState(catalog, upload);
  if (state === undefined || !isPartlyApplied(state.body)) return;
  const { organization, stream, number } = upload;
  const message = `the upload ${uploadId(organization, stream, number)} is published in part, and its job goes on until all of it is: it cannot be cancelled now. To take records back, upload corrections or ids to delete`;
  throw new TidemarkError('conflict', message, { upload: uploadId(organization, stream, number) });
}
