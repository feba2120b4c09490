import { workerData } from 'node:worker_threads';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import type { StoreLocation } from '../../config/configuration.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/contents.ts';
import { openContents } from '../../sources/open.ts';
import { openStores } from '../../stores/open-stores.ts';
import { type ChangePackJob, packChanges } from './pack-changes.ts';
import type { PackJob } from './pack-job.ts';
import { packPage } from './pack-page.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

/** What the thread is started with. */
export interface PackThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
}

/** A thread that packs pages, one at a time: it has its own connections to the store, the bytes and the artifacts. */
const { store, artifacts: location } = workerData as PackThreadData;
const { index, close } = await openStores(store);
const artifacts = openArtifacts(location);

const functions = {
  async pack(job: PackJob, from: ContentsLocation): Promise<readonly Package[]> {
    const contents = await openContents(from);
    try {
      return await packPage(job, { index, contents, artifacts });
    } finally {
      await contents.close();
    }
  },
  async packChanges(job: ChangePackJob, from: ContentsLocation): Promise<readonly ChangePackage[] | undefined> {
    const contents = await openContents(from);
    try {
      return await packChanges(job, { index, contents, artifacts });
    } finally {
      await contents.close();
    }
  },
};
export type PackFunctions = typeof functions;

serveCalls(functions, async () => {
  await artifacts.close();
  await close();
});
