import { workerData } from 'node:worker_threads';
import type { HashAlgorithm } from '../../core/hash.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';

const hashes = new RunningHashes(workerData as readonly HashAlgorithm[]);

const functions = {
  /** @param bytes in shared memory */
  update: (bytes: Uint8Array) => hashes.update(bytes),
  digest: () => hashes.digest(),
};
export type HashFunctions = typeof functions;

serveCalls(functions);
