import { isTidemarkError } from '../../core/errors.ts';
import type { NamedUpload } from '../../records/arrivals/upload.ts';
import type { NewJob } from '../../stores/job.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import { reopenJob } from '../reopen-job.ts';
import { PROCESS_UPLOAD } from '../upload-ends.ts';

/** Milliseconds that an upload keeps its place while a dump waits to begin: the job of the dump needs one, too. */
const MOST_PAUSE_MS = 5_000;
const SEPARATOR = '~';

/** Reads an upload, and publishes its records. The job is added when the upload was received. */
export const processUpload = defineJob<NamedUpload>({
  kind: PROCESS_UPLOAD,
  retry: ({ uploadRetries }) => ({ attempts: 1 + uploadRetries, firstMs: 5_000, longestMs: 60_000 }),
  waitsAfterConflict: true,
  isNumerous: true,
  shareOf: (id) => id.slice(0, id.indexOf(SEPARATOR) + 1),

  async addMissing(parts) {
    // An upload whose job has ended must not seem to lack one.
    await parts.jobs.uploadEnds.visit();
    await parts.records.uploadBacklog.visit((uploads) => parts.jobs.queue.addAll(uploads.map(jobOfUpload)));
    // Otherwise, dumps of its stream would wait for ever.
    await parts.records.partlyApplied.visit((upload) => reopenJob(parts.jobs.queue, jobOfUpload(upload)));
    // An attempt needs the set of its stream.
    await parts.records.organizations.ensureSets();
  },

  async run({ organization, stream, number }, { records: { uploads, uploadProcessor } }, run) {
    const upload = await uploads.get(organization, stream, number);
    try {
      return await uploadProcessor.process(upload, { ...run, mostPauseMs: MOST_PAUSE_MS });
    } catch (error) {
      if (!isTidemarkError(error, 'gone')) throw error;
      run.log('the upload was removed');
      return undefined;
    }
  },
});

/** The id is the same for each call, so that an upload has only one job. */
export function jobOfUpload({ organization, stream, number }: NamedUpload): NewJob {
  const id = [organization, stream, number].join(SEPARATOR);
  return jobOf(processUpload, { id, payload: { organization, stream, number } });
}
