import type { HashAlgorithm } from '../../core/hash.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';

/** Of the current body. */
let hashes: RunningHashes | undefined;

const functions = {
  /** Begins another body. */
  begin(algorithms: readonly HashAlgorithm[]): void {
    hashes = new RunningHashes(algorithms);
  },
  /** @param bytes in shared memory */
  update: (bytes: Uint8Array): void => current().update(bytes),
  digest: () => current().digest(),
};
export type HashFunctions = typeof functions;

/** @throws Error when this thread has replaced one that ended within a body */
function current(): RunningHashes {
  if (hashes === undefined) throw new Error('no body was begun');
  return hashes;
}

serveCalls(functions);
