import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { type WalkBatch, type WalkedFolder, walk } from './walk.ts';

const folder = workerData as WalkedFolder;
const walks = new Map<number, Generator<WalkBatch>>();

const functions = {
  /** The next batch of a walk. The first call starts the walk; undefined after the last batch. */
  next(id: number, under: string): WalkBatch | undefined {
    const found = walks.get(id) ?? walk({ ...folder, under });
    walks.set(id, found);
    return found.next().value ?? undefined;
  },
  end(id: number): void {
    walks.delete(id);
  },
};
export type WalkFunctions = typeof functions;

serveCalls(functions);
