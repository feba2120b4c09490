import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { type HashedRoot, hashFile } from './hash-file.ts';

const root = workerData as HashedRoot;

const functions = { digest: (path: string, mostBytes?: number) => hashFile(root, path, mostBytes) };
export type HashFunctions = typeof functions;

serveCalls(functions);
