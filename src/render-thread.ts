import { workerData } from 'node:worker_threads';
import type { StoreLocation } from './config/configuration.ts';
import { armFailpoint } from './domain/failpoint.ts';
import { requestObserver } from './metrics/request-counts.ts';
import { type DocumentRecord, writeDocument } from './publisher/document-files.ts';
import { basisOf, renderFromOlder } from './publisher/older-version.ts';
import { render } from './publisher/render-job.ts';
import type { RenderTask } from './publisher/renderer.ts';
import { openStores } from './stores/open-stores.ts';
import type { Survey } from './stores/resource-index.ts';
import { answerQuestions } from './threads/questions.ts';

/** What the thread is started with. */
export interface RenderThreadData {
  readonly store: StoreLocation;
  readonly failpoint: string | undefined;
  /** Where it counts what it asks the store. */
  readonly requests: SharedArrayBuffer;
}

/** The thread that renders documents: it has its own connection to the store, and takes its tasks one at a time. */
const { store, failpoint, requests } = workerData as RenderThreadData;
armFailpoint(failpoint);
const { index, close } = await openStores(store, { observer: requestObserver(requests) });

answerQuestions(perform, close);

async function perform(task: RenderTask): Promise<DocumentRecord | Survey> {
  if (task.task === 'survey') return index.survey(task.set, task.range, task.limits);
  const { job, newest, immutable = false, older } = task.making;
  const text = (older && (await renderFromOlder(job, older, index))) ?? render(job, index);
  return writeDocument(task.record, text, { newest, immutable, basis: basisOf(job) });
}
