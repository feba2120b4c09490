import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { RootEntry } from '../content-root.ts';
import { type WalkedFolder, walk } from './walk.ts';

const folder = workerData as WalkedFolder;
const walks = new Map<number, Generator<readonly RootEntry[]>>();

const functions = {
  /** The next batch of a walk, which begins with the first call; undefined after the last batch. */
  next(id: number, under: string): readonly RootEntry[] | undefined {
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
