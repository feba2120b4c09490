import { type MessagePort, workerData } from 'node:worker_threads';
import { type ArtifactLocation, isLargePerThread, openArtifacts } from '../../artifacts/open-artifacts.ts';
import { sendArtifacts } from '../../artifacts/sent-artifacts.ts';
import { CalledPort, serveCalls } from '../../lib/workers/rpc.ts';
import { type ContentsLocation, openContents } from '../../sources/open-contents.ts';
import type { StoreLocation } from '../../stores/locations.ts';
import { openStores } from '../../stores/open-stores.ts';
import { type ChangePackJob, type ChangePackParts, packChanges } from './pack-changes.ts';
import type { PackJob } from './pack-job.ts';
import { packPage } from './pack-page.ts';
import type { PartWriterParts } from './part-writer.ts';
import type { PrepareFunctions } from './prepare-beside.ts';
import type { PrepareEntries } from './prepare-entries.ts';
import { PreparedAhead } from './prepared-ahead.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

/** Data that the thread is started with. */
export interface PackThreadData {
  readonly store: StoreLocation;
  readonly artifacts: ArtifactLocation;
}

/** Ports of a build. */
export interface PackPorts {
  /** For packages, which the main thread stores if that takes less memory. */
  readonly packages: MessagePort;
  /** The thread at its other end prepares entries, too; without it, only this one does. */
  readonly beside: MessagePort | undefined;
}

/** A thread that packs pages, one at a time. It has its own connections to the store, the bytes and the artifacts. */
const { store, artifacts: location } = workerData as PackThreadData;
const { index, close } = await openStores(store, { onSlow: () => {} });
const artifacts = openArtifacts(location);

const functions = {
  pack: (job: PackJob, from: ContentsLocation, ports: PackPorts): Promise<readonly Package[]> =>
    withContents(from, ports, (parts) => packPage(job, parts)),
  packChanges: (
    job: ChangePackJob,
    from: ContentsLocation,
    ports: PackPorts,
  ): Promise<readonly ChangePackage[] | undefined> => withContents(from, ports, (parts) => packChanges(job, parts)),
};
export type PackFunctions = typeof functions;

serveCalls(functions, async () => {
  await artifacts.close();
  await close();
});

async function withContents<Result>(
  from: ContentsLocation,
  { packages, beside }: PackPorts,
  pack: (parts: PartWriterParts & ChangePackParts) => Promise<Result>,
): Promise<Result> {
  const contents = await openContents(from);
  const other = beside && new CalledPort<PrepareFunctions>(beside);
  try {
    const prepare: PrepareEntries | undefined = other && ((wanted, into) => other.call('prepare', [wanted, into]));
    const ahead = new PreparedAhead({ contents, artifacts }, prepare);
    const stored = isLargePerThread(location) ? sendArtifacts(packages) : artifacts;
    return await pack({ index, contents, artifacts, packages: stored, ahead });
  } finally {
    other?.close();
    await contents.close();
  }
}
