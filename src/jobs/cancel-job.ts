import { TidemarkError } from '../core/errors.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { NamedUpload } from '../streams/processing/partly-applied.ts';
import { uploadId } from '../streams/uploads/upload.ts';
import { isPartlyApplied, readUploadState } from '../streams/uploads/upload-state.ts';
import { processUpload } from './kinds/process-upload.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly jobs: Pick<JobQueue, 'get' | 'cancel'>;
}

/**
 * Cancels a job when a person asks for it. One that has begun to publish an upload goes on: dumps wait for the rest.
 * @throws TidemarkError `not-found`; `conflict` when it has ended, or has published a part of an upload
 */
export async function cancelJob({ catalog, jobs }: Parts, name: string): Promise<Job> {
  const { kind, payload } = await jobs.get(name);
  if (kind === processUpload.kind) await requireUnpublished(catalog, payload as NamedUpload);
  return jobs.cancel(name);
}

async function requireUnpublished(catalog: Parts['catalog'], upload: NamedUpload): Promise<void> {
  const state = await readUploadState(catalog, upload);
  if (state === undefined || !isPartlyApplied(state.body)) return;
  const { organization, stream, number } = upload;
  const message = `the upload ${uploadId(organization, stream, number)} is published in part, and its job goes on until all of it is: it cannot be cancelled now. To take records back, upload corrections or ids to delete`;
  throw new TidemarkError('conflict', message, { upload: uploadId(organization, stream, number) });
}
