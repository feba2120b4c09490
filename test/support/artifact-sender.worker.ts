import type { MessagePort } from 'node:worker_threads';
import { sendArtifacts } from '../../src/artifacts/sent-artifacts.ts';
import { serveCalls } from '../../src/lib/workers/rpc.ts';

const functions = {
  /** Never ends. */
  putForEver: (port: MessagePort, key: string, bytes: Uint8Array) =>
    sendArtifacts(port).put(key, withoutEnd(bytes), { hashes: ['sha-256'] }),
};
export type SenderFunctions = typeof functions;

serveCalls(functions);

async function* withoutEnd(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  await new Promise(() => {});
}
