import { TidemarkError } from '../core/errors.ts';
import { type NamedUpload, uploadId } from '../records/arrivals/upload.ts';
import { isPartlyApplied, readUploadState } from '../records/arrivals/upload-state.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { PROCESS_UPLOAD } from './upload-ends.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly jobs: Pick<JobQueue, 'get' | 'cancel'>;
}

/**
 * Cancels a job on request of a user. A job that has started to publish an upload continues, because dumps wait for the
 * rest. When a job has ended, its upload has failed: see upload-ends.ts.
 * @throws TidemarkError `not-found`; `conflict` when it has ended, or has published a part of an upload
 */
export async function cancelJob({ catalog, jobs }: Parts, name: string): Promise<Job> {
  const { kind, payload } = await jobs.get(name);
  if (kind === PROCESS_UPLOAD) await requireUnpublished(catalog, payload as NamedUpload);
  return jobs.cancel(name);
}

async function requireUnpublished(catalog: Parts['catalog'], upload: NamedUpload): Promise<void> {
  const state = await readUploadState(catalog, upload);
  if (state === undefined || !isPartlyApplied(state.body)) return;
  const { organization, stream, number } = upload;
  const message = `the upload ${uploadId(organization, stream, number)} is published in part, and its job goes on until all of it is: it cannot be cancelled now. To take records back, upload corrections or ids to delete`;
  throw new TidemarkError('conflict', message, { upload: uploadId(organization, stream, number) });
}
