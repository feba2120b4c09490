import { workerData } from 'node:worker_threads';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { Contents } from '../../sources/contents.ts';
import { type ContentsLocation, openContents } from '../../sources/open-contents.ts';
import { prepareEntries, type WantedEntry } from './prepare-entries.ts';

const artifacts = openArtifacts(workerData as ArtifactLocation);
let contents: Contents | undefined;

const functions = {
  /** Switches to another set, whose bytes are at this location. */
  async open(location: ContentsLocation): Promise<void> {
    await contents?.close();
    contents = await openContents(location);
  },
  /** @param into memory shared with the caller */
  prepare: (wanted: readonly (WantedEntry | undefined)[], into: Uint8Array) =>
    prepareEntries(wanted, into, { contents: contents!, artifacts }),
};
export type PrepareFunctions = typeof functions;

serveCalls(functions, async () => {
  await contents?.close();
  await artifacts.close();
});
