import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError, unlessConflict, unlessNotFound } from '../core/errors.ts';
import { uploadsAbove } from '../records/again/earlier-uploads.ts';
import type { Upload } from '../records/arrivals/upload.ts';
import {
  putUploadState,
  readUploadState,
  statusOf,
  type UploadState,
  wasRemoved,
} from '../records/arrivals/upload-state.ts';
import type { Catalog } from '../stores/catalog.ts';
import { jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { jobOfUpload } from './kinds/process-upload.ts';
import type { UploadEnds } from './upload-ends.ts';

const MOST_TRIES = 20;
const PAUSE_MS = 250;

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly jobs: Pick<JobQueue, 'get' | 'addAll' | 'retry'>;
  readonly uploadEnds: Pick<UploadEnds, 'record'>;
}

/**
 * Processes a failed upload again; one that waits for its next attempt is processed at once. Returns its state.
 * @throws TidemarkError `conflict` when no attempt has failed, and for the upload of a harvest that has failed: its run
 *   says that nothing was changed, and a later one may have seen other records; and when a later delivery has read the
 *   stream again, without it. `gone` when it was removed
 */
export async function retryUpload({ catalog, jobs, uploadEnds }: Parts, upload: Upload): Promise<UploadState> {
  await recordEnd({ jobs, uploadEnds }, upload);
  const stored = await readUploadState(catalog, upload);
  if (stored?.body.removed !== undefined) throw wasRemoved(upload, stored.body.removed);
  const failure = stored?.body.failure;
  if (stored === undefined || failure === undefined || statusOf(stored.body) === 'processed') {
    throw notFailed(upload, stored?.body);
  }
  if (upload.set !== undefined && failure.isFinal) throw ofHarvest(upload);
  if (failure.isFinal) await requireNotPassed(catalog, upload);
  // The job comes first: an upload whose failure is not final always has one.
  await queue(jobs, upload);
  const { fetchAgain: _, ...kept } = failure;
  const body = { ...stored.body, failure: { ...kept, isFinal: false } };
  const put = await unlessConflict(putUploadState(catalog, upload, { body, before: stored }));
  // Undefined when the job was faster, and has replaced the state.
  return (put ?? (await readUploadState(catalog, upload))!).body;
}

/** The process that has ended its job may have been killed before it recorded that for the upload. */
async function recordEnd({ jobs, uploadEnds }: Pick<Parts, 'jobs' | 'uploadEnds'>, upload: Upload): Promise<void> {
  const job = await unlessNotFound(jobs.get(jobName(jobOfUpload(upload))));
  if (job !== undefined) await uploadEnds.record(job);
}

async function queue(jobs: Parts['jobs'], upload: Upload): Promise<void> {
  const job = jobOfUpload(upload);
  for (let tries = 1; ; tries++) {
    try {
      await jobs.retry(jobName(job));
      return;
    } catch (error) {
      // Jobs that ended long ago are removed.
      if (isTidemarkError(error, 'not-found')) {
        await jobs.addAll([job]);
        return;
      }
      if (!isTidemarkError(error, 'conflict') || tries === MOST_TRIES) throw error;
    }
    // The attempt that has recorded the failure is about to end.
    await wait(PAUSE_MS);
  }
}

/** It would be applied below what has read the stream without it. */
async function requireNotPassed(catalog: Parts['catalog'], upload: Upload): Promise<void> {
  for await (const { upload: later } of uploadsAbove(catalog, upload)) {
    if (later.readsAgain === undefined) continue;
    const { organization, stream, number } = upload;
    const message = `the upload ${organization}/${stream}/${number} has failed, and the delivery ${later.number} has read the stream again without it: send its files as a new upload`;
    throw new TidemarkError('conflict', message, { organization, stream, upload: number });
  }
}

function ofHarvest({ organization, stream, number }: Upload): TidemarkError {
  const message = `the upload ${organization}/${stream}/${number} is that of a harvest, which has failed: read its responses once more by "tidemark harvest ${stream} --again" with the number of the harvest`;
  return new TidemarkError('conflict', message, { organization, stream, upload: number });
}

function notFailed({ organization, stream, number }: Upload, state: UploadState | undefined): TidemarkError {
  const message = `the upload ${organization}/${stream}/${number} is ${statusOf(state)}: only one that has failed is processed again`;
  return new TidemarkError('conflict', message, { organization, stream, upload: number });
}
