import { workerData } from 'node:worker_threads';
import { openArtifacts } from '../artifacts/open-artifacts.ts';
import type { Configuration } from '../config/configuration.ts';
import { armFailpoint } from '../lib/failpoint.ts';
import { serveCalls } from '../lib/workers/rpc.ts';
import { openStores } from '../stores/open-stores.ts';
import { type Archived, archiveLog } from './log-archive.ts';
import { type BackupOptions, type MadeBackup, makeScheduledBackup } from './scheduled-backup.ts';

/** The data that the thread starts with. */
export interface ArchiveThreadData extends Pick<Configuration, 'store' | 'artifacts' | 'failpoint'> {
  /** One number, which becomes 1 when the thread has to stop. */
  readonly stopped: SharedArrayBuffer;
}

/** Milliseconds between two checks whether to stop. */
const CHECK_INTERVAL_MS = 200;

/** The thread that archives and makes backups for a server: it reads the whole log, to keep the HTTP thread free. */
const { store, artifacts: location, failpoint, stopped } = workerData as ArchiveThreadData;
armFailpoint(failpoint);
const functions = { archive, backUp };
export type ArchiveFunctions = typeof functions;

serveCalls(functions);

function archive(): Promise<Archived> {
  return untilStopped(async (signal) => {
    const artifacts = openArtifacts(location);
    try {
      const stores = await openStores(store, { failpoint, onSlow: () => {} });
      return await archiveLog({ stores, artifacts, signal }).finally(() => stores.close());
    } finally {
      await artifacts.close();
    }
  });
}

function backUp(options: BackupOptions): Promise<MadeBackup> {
  return untilStopped((signal) => makeScheduledBackup(options, signal));
}

async function untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const given = new AbortController();
  const flag = new Int32Array(stopped);
  const checking = setInterval(() => {
    if (Atomics.load(flag, 0) === 1) given.abort();
  }, CHECK_INTERVAL_MS);
  try {
    return await work(given.signal);
  } finally {
    clearInterval(checking);
  }
}
