import { workerData } from 'node:worker_threads';
import { type DraftPlace, newDraftName, writeDraft } from '../../src/artifacts/drafts.ts';
import { type ArtifactLocation, openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { serveCalls } from '../../src/lib/workers/rpc.ts';

const store = openArtifacts(workerData as ArtifactLocation);

const functions = {
  put: (key: string, bytes: Uint8Array) => store.put(key, [bytes]),
  readSmall: (key: string) => store.readSmall(key),
  writeDraft(place: DraftPlace, bytes: Uint8Array): string {
    const name = newDraftName();
    writeDraft(place, name, bytes);
    return name;
  },
  /** Never ends. Sets the number to 1 when the bytes were taken. */
  putForEver: (key: string, bytes: Uint8Array, begun: Int32Array<SharedArrayBuffer>) =>
    store.put(key, withoutEnd(bytes, begun)),
};
export type StoreFunctions = typeof functions;

serveCalls(functions, () => store.close());

async function* withoutEnd(bytes: Uint8Array, begun: Int32Array<SharedArrayBuffer>): AsyncGenerator<Uint8Array> {
  yield bytes;
  Atomics.store(begun, 0, 1);
  Atomics.notify(begun, 0);
  await new Promise(() => {});
}
