import type { NamedRequest } from '../../datasets/results/requests.ts';
import type { NewJob } from '../../stores/job.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import { INGEST_DATASET } from '../open-requests.ts';
import { addSends } from './send-dataset-results.ts';

/** Ingests a dataset, and records the result of its request. */
export const ingestDataset = defineJob<NamedRequest>({
  kind: INGEST_DATASET,
  retry: { attempts: 4, firstMs: 10_000, longestMs: 300_000 },
  isNumerous: true,
  oneAtATimePer: ({ id }) => id,

  async addMissing({ jobs: { openRequests, queue } }) {
    await openRequests.visit((request) => queue.addAll([jobOfRequest(request)]));
  },

  async run(name, parts, { signal, isLast, report, log }) {
    const result = await parts.datasets.run(name, {
      signal,
      isLast,
      onStep(text) {
        log(text);
        report({ text });
      },
      onProgress: ({ bytes, totalBytes, files, totalFiles }) =>
        report({ done: bytes, total: totalBytes, text: `bytes, ${files} of ${totalFiles ?? '?'} files` }),
    });
    await addSends(parts);
    return result === undefined ? { replaced: true } : { status: result.status, hit: result.hit };
  },
});

/** The id is the same for each call, so that a request has only one job. */
export function jobOfRequest({ id, token }: NamedRequest): NewJob {
  return jobOf(ingestDataset, { id: [id, token].join('~'), payload: { id, token } });
}
