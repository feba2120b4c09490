import type { MessagePort } from 'node:worker_threads';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { type ContentsLocation, openContents } from '../../sources/open-contents.ts';
import { type PrepareParts, prepareEntries, type WantedEntry } from './prepare-entries.ts';

const KEPT_BYTES = 4 * 1024 * 1024;

/**
 * Prepares entries in this thread, for the thread at the other end of a port. It blocks while it reads and packs a
 * batch. Returns a function to call when that thread needs no more.
 */
export async function prepareBeside(
  port: MessagePort,
  location: ContentsLocation,
  artifacts: ArtifactStore,
): Promise<() => Promise<void>> {
  keepFreedMemory();
  const contents = await openContents(location);
  const functions = preparing({ contents, artifacts });
  serveCalls(functions, () => {}, port);
  return async () => {
    port.close();
    await contents.close();
  };
}

/**
 * Makes the C library keep up to twice this memory when it is freed, instead of giving it back for each entry that is
 * deflated: glibc adapts to the largest block that was freed.
 */
function keepFreedMemory(): void {
  new ArrayBuffer(KEPT_BYTES).transfer(0);
}

function preparing(parts: PrepareParts) {
  return {
    /** @param into memory shared with the caller */
    prepare: (wanted: readonly (WantedEntry | undefined)[], into: Uint8Array) => prepareEntries(wanted, into, parts),
  };
}
export type PrepareFunctions = ReturnType<typeof preparing>;
