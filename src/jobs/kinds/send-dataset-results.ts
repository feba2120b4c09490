import { isTidemarkError, unlessNotFound } from '../../core/errors.ts';
import { openSink, sinksOf, targetOf } from '../../datasets/sinks/open-sinks.ts';
import type { LeftOut, SinkName } from '../../datasets/sinks/result-sink.ts';
import { isBehind, sendResults } from '../../datasets/sinks/send-results.ts';
import { defineJob, jobOf } from '../job-definition.ts';
import type { JobParts } from '../job-parts.ts';
import { jobsPer } from '../jobs-per.ts';

interface OfSink {
  readonly sink: SinkName;
}

/** Milliseconds between two jobs at least: the second one sends what was recorded meanwhile. */
const INTERVAL_MS = 1_000;
/** So many of the results that a sink refused are named in the result of the job. */
const MOST_NAMED = 20;

/** Writes results of datasets into the table of rows, or to Kafka (D34): one process at a time for each of them. */
export const sendDatasetResults = defineJob<OfSink>({
  kind: 'send-dataset-results',
  retry: { attempts: 20, firstMs: 1_000, longestMs: 60_000 },
  waitsAfterConflict: true,
  oneAtATimePer: ({ sink }) => sink,
  addMissing: addSends,

  run: ({ sink }, parts, { signal }) => send(sink, parts, signal),
});

type SendParts = Pick<JobParts, 'catalog' | 'configuration' | 'datasets' | 'sets'>;

async function send(sink: SinkName, parts: SendParts, signal: AbortSignal) {
  const { catalog, configuration, datasets } = parts;
  const urlOf = await manifestUrls(parts);
  const leftOut: string[] = [];
  let leftOutCount = 0;
  const sent = await sendResults({
    catalog,
    name: sink,
    target: targetOf(sink, configuration),
    open: () => openSink(sink, configuration),
    datasets,
    urlOf,
    signal,
    onLeftOut(one) {
      leftOutCount += 1;
      if (leftOut.length < MOST_NAMED) leftOut.push(textOf(one));
    },
  });
  return { sink, sent, ...(leftOutCount > 0 && { leftOutCount, leftOut }) };
}

/**
 * Sends what the sinks have not got, for a command that runs no jobs. Returns why a sink got nothing: the jobs of a
 * server or worker send to it later.
 */
export async function sendNow(parts: SendParts, signal: AbortSignal): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const sink of sinksOf(parts.configuration)) {
    try {
      await send(sink, parts, signal);
    } catch (error) {
      if (!isTidemarkError(error)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

type Queue = JobParts['jobs']['queue'];

/** When the last job of each sink may begin, in milliseconds of the monotonic clock. */
const begins = new WeakMap<Queue, Map<SinkName, number>>();

/**
 * Adds a job for each sink that has not got all results, unless one is queued. Called when a result was recorded, and
 * every few seconds.
 */
export async function addSends({
  catalog,
  configuration,
  jobs: { queue },
}: Pick<JobParts, 'catalog' | 'configuration' | 'jobs'>): Promise<void> {
  const ofQueue = begins.get(queue) ?? new Map<SinkName, number>();
  begins.set(queue, ofQueue);
  for (const sink of sinksOf(configuration)) {
    const last = ofQueue.get(sink) ?? Number.NEGATIVE_INFINITY;
    // It has not begun: it sends what was recorded until now.
    if (performance.now() < last) continue;
    if (!(await isBehind(catalog, sink, targetOf(sink, configuration)))) continue;
    if (await isQueued(queue, sink)) continue;
    const waitMs = Math.max(0, last + INTERVAL_MS - performance.now());
    ofQueue.set(sink, performance.now() + waitMs);
    const now = Date.now();
    await queue.addAll([
      jobOf(sendDatasetResults, { id: `${sink}~${now}`, payload: { sink }, notBefore: now + waitMs }),
    ]);
  }
}

async function isQueued(queue: Queue, sink: SinkName): Promise<boolean> {
  const filter = { kinds: [sendDatasetResults.kind], states: ['queued'] } as const;
  for await (const _ of jobsPer(queue, sink, filter)) return true;
  return false;
}

/** The API has the manifests of all results. */
async function manifestUrls({ sets }: Pick<JobParts, 'sets'>): Promise<(id: string) => string | undefined> {
  const source = await unlessNotFound(sets.source());
  return (id) => source && new URL(`api/datasets/${id}/files`, source.baseUrl).href;
}

function textOf({ baseUrl, what, reason }: LeftOut): string {
  const text = what === 'manifest' ? 'without its manifest' : 'not at all';
  return `the result of ${baseUrl} was written ${text}: ${reason}`;
}
