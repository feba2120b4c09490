import { workerData } from 'node:worker_threads';
import { openArtifacts } from '../artifacts/open-artifacts.ts';
import type { Configuration } from '../config/configuration.ts';
import { armFailpoint } from '../lib/failpoint.ts';
import { serveCalls } from '../lib/workers/rpc.ts';
import { openStores } from '../stores/open-stores.ts';
import { type Archived, archiveLog } from './log-archive.ts';

/** The data that the thread starts with. */
export interface ArchiveThreadData extends Pick<Configuration, 'store' | 'artifacts' | 'failpoint'> {
  /** One number, which becomes 1 when the thread has to stop. */
  readonly stopped: SharedArrayBuffer;
}

/** Milliseconds between two checks whether to stop. */
const CHECK_INTERVAL_MS = 200;

/** The thread that archives for a server: it reads and packs the log, to keep the HTTP thread free. */
const { store, artifacts: location, failpoint, stopped } = workerData as ArchiveThreadData;
armFailpoint(failpoint);
const functions = { archive };
export type ArchiveFunctions = typeof functions;

serveCalls(functions);

async function archive(): Promise<Archived> {
  const given = new AbortController();
  const flag = new Int32Array(stopped);
  const checking = setInterval(() => {
    if (Atomics.load(flag, 0) === 1) given.abort();
  }, CHECK_INTERVAL_MS);
  const artifacts = openArtifacts(location);
  try {
    const stores = await openStores(store, { failpoint, onSlow: () => {} });
    return await archiveLog({ stores, artifacts, signal: given.signal }).finally(() => stores.close());
  } finally {
    clearInterval(checking);
    await artifacts.close();
  }
}
