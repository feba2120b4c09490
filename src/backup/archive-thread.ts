import { workerData } from 'node:worker_threads';
import { openArtifacts } from '../artifacts/open-artifacts.ts';
import { armFailpoint } from '../lib/failpoint.ts';
import { answerQuestions } from '../lib/workers/questions.ts';
import { openStores } from '../stores/open-stores.ts';
import { type Archived, archiveLog } from './archive-log.ts';
import type { ArchiveTask, ArchiveThreadData } from './archive-task.ts';

/** Milliseconds between two looks whether it is to stop. */
const LOOK_AFTER = 200;

/** The thread that archives for a server: it reads the log and packs it, so that the HTTP thread need not. */
const { store, artifacts: location, failpoint, stopped } = workerData as ArchiveThreadData;
armFailpoint(failpoint);

answerQuestions(archive);

async function archive({ minAge }: ArchiveTask): Promise<Archived> {
  const given = new AbortController();
  const flag = new Int32Array(stopped);
  const looking = setInterval(() => {
    if (Atomics.load(flag, 0) === 1) given.abort();
  }, LOOK_AFTER);
  const artifacts = openArtifacts(location);
  try {
    const stores = await openStores(store, { failpoint });
    return await archiveLog({ stores, artifacts, minAge, signal: given.signal }).finally(() => stores.close());
  } finally {
    clearInterval(looking);
    await artifacts.close();
  }
}
