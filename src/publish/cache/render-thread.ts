import { workerData } from 'node:worker_threads';
import type { StoreLocation } from '../../config/configuration.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { answerQuestions } from '../../lib/workers/questions.ts';
import { openStores } from '../../stores/open-stores.ts';
import { requestObserver } from '../../stores/request-counts.ts';
import type { Survey } from '../../stores/resource-index.ts';
import { basisOf, renderFromOlder } from '../render/older-version.ts';
import { render } from '../render/render-job.ts';
import { type DocumentRecord, writeDocument } from './document-files.ts';
import type { RenderTask } from './renderer.ts';

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
