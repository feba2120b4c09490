import { parentPort, workerData } from 'node:worker_threads';
import type { StoreLocation } from './config/configuration.ts';
import { isTidemarkError } from './domain/errors.ts';
import { armFailpoint } from './domain/failpoint.ts';
import { writeDocument } from './publisher/document-files.ts';
import { render } from './publisher/render-job.ts';
import type { RenderAnswer, RenderTask } from './publisher/renderer.ts';
import { openStores } from './stores/open-stores.ts';

/** The thread that renders documents: it has its own connection to the store, and takes its tasks one at a time. */
const { store, failpoint } = workerData as { store: StoreLocation; failpoint: string | undefined };
armFailpoint(failpoint);
const { index, close } = await openStores(store);

let last: Promise<void> = Promise.resolve();
parentPort!.on('message', (task: RenderTask | 'close') => {
  last = last.then(async () => {
    if (task !== 'close') return parentPort!.postMessage(await answer(task));
    await close();
    parentPort!.close();
  });
});

async function answer(task: RenderTask): Promise<RenderAnswer> {
  try {
    return { id: task.id, result: await perform(task) };
  } catch (error) {
    const { message, stack } = error as Error;
    return {
      id: task.id,
      error: isTidemarkError(error) ? { code: error.code, message } : { message: stack ?? message },
    };
  }
}

function perform(task: RenderTask) {
  if (task.task === 'survey') return index.survey(task.set, task.range, task.limits);
  const { job, newest, immutable = false } = task.making;
  return writeDocument(task.record, render(job, index), { newest, immutable });
}
