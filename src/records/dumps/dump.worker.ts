import { workerData } from 'node:worker_threads';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { StoreLocation } from '../../stores/locations.ts';
import { openStores } from '../../stores/open-stores.ts';
import {
  type DumpParts,
  type DumpProgress,
  type DumpTask,
  type MadeDump,
  makeDelta,
  makeFullDump,
} from './make-dump.ts';
import { StateCopy } from './state-copy.ts';

/** Data that the thread is started with. */
export interface DumpThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
  /** The folder of scratch databases. */
  readonly folder: string;
  readonly failpoint: string | undefined;
}

/** A task of the thread. A full dump starts with copying the states. */
export type DumpWork =
  | { readonly work: 'copy'; readonly set: SetId }
  | { readonly work: 'full'; readonly task: DumpTask }
  | { readonly work: 'delta'; readonly task: DumpTask & { readonly after: Stamp } };

/** `progress` until the task is done. */
type DumpReply = { readonly progress: DumpProgress | undefined } | { readonly made: MadeDump | undefined };

/** The thread that writes dumps: it has its own connections to the store and to the artifacts. */
const { store, artifacts: location, folder, failpoint } = workerData as DumpThreadData;
armFailpoint(failpoint);
const { index, close } = await openStores(store, { onSlow: () => {} });
const artifacts = openArtifacts(location);

/** Milliseconds between two reports of progress. */
const REPORT_MS = 500;

let copy: StateCopy | undefined;
let progress: DumpProgress | undefined;
let working: Promise<{ readonly made: MadeDump | undefined }> | undefined;

const onProgress = (now: DumpProgress) => {
  progress = now;
};
const parts: DumpParts = { index, artifacts, folder, onProgress };

async function run(work: DumpWork): Promise<MadeDump | undefined> {
  switch (work.work) {
    case 'copy':
      copy = new StateCopy(work.set, folder);
      await copy.begin(index, (done) => onProgress({ done, text: 'states copied' }));
      return undefined;
    case 'full':
      return makeFullDump(work.task, copy!, parts);
    case 'delta':
      return makeDelta(work.task, parts);
  }
}

const functions = {
  begin(work: DumpWork): void {
    progress = undefined;
    working = run(work).then((made) => ({ made }));
    working.catch(() => {});
  },
  /** Returns the result when the task is done; before that, the progress after a while. */
  async wait(): Promise<DumpReply> {
    const pause = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => pause.resolve(undefined), REPORT_MS);
    try {
      return (await Promise.race([working!, pause.promise])) ?? { progress };
    } finally {
      clearTimeout(timer);
    }
  },
};
export type DumpFunctions = typeof functions;

serveCalls(functions, async () => {
  copy?.close();
  await artifacts.close();
  await close();
});
