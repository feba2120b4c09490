import { isTidemarkError } from '../../core/errors.ts';
import { openSink, sinksOf, targetOf } from '../../datasets/sinks/open-sinks.ts';
import type { LeftOut, SinkName } from '../../datasets/sinks/result-sink.ts';
import { isBehind, sendResults } from '../../datasets/sinks/send-results.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import type { JobParts } from '../job-parts.ts';
import { jobsPer } from '../jobs-per.ts';

interface OfSink {
  readonly sink: SinkName;
}

/** Milliseconds until a job that was added runs: the results of that time are sent together. */
const GATHERING_MS = 500;

/** Left out results that the log of a job names. */
const MOST_LOGGED = 100;

/** Writes results of datasets into the table of rows, or to Kafka (D34): one process at a time for each of them. */
export const sendDatasetResults = defineJob<OfSink>({
  kind: 'send-dataset-results',
  retry: { attempts: 20, firstMs: 1_000, longestMs: 60_000 },
  waitsAfterConflict: true,
  oneAtATimePer: ({ sink }) => sink,
  addMissing: addSends,

  async run({ sink }, parts, { signal, log }) {
    const { catalog, configuration, datasets } = parts;
    const urlOf = await manifestUrls(parts);
    let leftOut = 0;
    const sent = await sendResults({
      catalog,
      name: sink,
      target: targetOf(sink, configuration),
      open: () => openSink(sink, configuration),
      datasets,
      urlOf,
      signal,
      onLeftOut(one) {
        leftOut += 1;
        if (leftOut <= MOST_LOGGED) log(textOf(one));
      },
    });
    return { sink, sent, ...(leftOut > 0 && { leftOut }) };
  },
});

/**
 * Adds a job for each sink that has not got all results, unless one waits already. Called when a result was recorded,
 * and every few seconds.
 */
export async function addSends({
  catalog,
  configuration,
  jobs: { queue },
}: Pick<JobParts, 'catalog' | 'configuration' | 'jobs'>): Promise<void> {
  for (const sink of sinksOf(configuration)) {
    if (!(await isBehind(catalog, sink, targetOf(sink, configuration)))) continue;
    if (await isWaiting(queue, sink)) continue;
    const now = Date.now();
    await queue.addAll([
      jobOf(sendDatasetResults, { id: `${sink}~${now}`, payload: { sink }, notBefore: now + GATHERING_MS }),
    ]);
  }
}

async function isWaiting(queue: JobParts['jobs']['queue'], sink: SinkName): Promise<boolean> {
  const filter = { kinds: [sendDatasetResults.kind], states: ['queued'] } as const;
  for await (const _ of jobsPer(queue, sink, filter)) return true;
  return false;
}

/** The API has the manifests of all results. */
async function manifestUrls({ sets }: Pick<JobParts, 'sets'>): Promise<(id: string) => string | undefined> {
  try {
    const { baseUrl } = await sets.source();
    return (id) => new URL(`api/datasets/${id}/files`, baseUrl).href;
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return () => undefined;
    throw error;
  }
}

function textOf({ baseUrl, what, reason }: LeftOut): string {
  const text = what === 'manifest' ? 'without its manifest' : 'not at all';
  return `the result of ${baseUrl} was written ${text}: ${reason}`;
}
