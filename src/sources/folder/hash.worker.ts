import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { WantedCopy } from '../content-root.ts';
import { type HashedRoot, hashFile } from './hash-file.ts';

const root = workerData as HashedRoot;

const functions = { digest: (path: string, copied?: WantedCopy) => hashFile(root, path, copied) };
export type HashFunctions = typeof functions;

serveCalls(functions);
