import { type MessagePort, workerData } from 'node:worker_threads';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { type ArtifactLocation, isLargePerThread, openArtifacts } from '../../artifacts/open-artifacts.ts';
import { sendArtifacts } from '../../artifacts/sent-artifacts.ts';
import type { StoreLocation } from '../../config/configuration.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { type ContentsLocation, openContents } from '../../sources/open-contents.ts';
import { openStores } from '../../stores/open-stores.ts';
import { type ChangePackJob, type ChangePackParts, packChanges } from './pack-changes.ts';
import type { PackJob, PackThreads } from './pack-job.ts';
import { packPage } from './pack-page.ts';
import type { PartWriterParts } from './part-writer.ts';
import { PrepareThread } from './prepare-thread.ts';
import { PreparedAhead } from './prepared-ahead.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

/** Data that the thread is started with. */
export interface PackThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
}

/** A thread that packs pages, one at a time. It has its own connections to the store, the bytes and the artifacts. */
const { store, artifacts: location } = workerData as PackThreadData;
const { index, close } = await openStores(store);
const artifacts = openArtifacts(location);
const thread = new PrepareThread(location);

const functions = {
  begin(threads: PackThreads): void {
    if (threads === 2) thread.begin();
  },
  /** @param port for packages, which the main thread stores if that takes less memory */
  pack: (job: PackJob, from: ContentsLocation, threads: PackThreads, port: MessagePort): Promise<readonly Package[]> =>
    withContents(from, threads, (parts) => packPage(job, { ...parts, packages: packagesOf(port) })),
  packChanges: (
    job: ChangePackJob,
    from: ContentsLocation,
    threads: PackThreads,
    port: MessagePort,
  ): Promise<readonly ChangePackage[] | undefined> =>
    withContents(from, threads, (parts) => packChanges(job, { ...parts, packages: packagesOf(port) })),
};
export type PackFunctions = typeof functions;

serveCalls(functions, async () => {
  await thread.close();
  await artifacts.close();
  await close();
});

function packagesOf(port: MessagePort): Pick<ArtifactStore, 'put'> {
  return isLargePerThread(location) ? sendArtifacts(port) : artifacts;
}

async function withContents<Result>(
  from: ContentsLocation,
  threads: PackThreads,
  pack: (parts: Omit<PartWriterParts & ChangePackParts, 'packages'>) => Promise<Result>,
): Promise<Result> {
  const contents = await openContents(from);
  const beside = threads === 2 ? thread.open(from) : undefined;
  try {
    const ahead = new PreparedAhead({ contents, artifacts }, beside);
    return await pack({ index, contents, artifacts, ahead });
  } finally {
    beside?.end();
    await contents.close();
  }
}
