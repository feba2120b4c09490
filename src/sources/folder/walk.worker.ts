import { serveCalls } from '../../lib/workers/rpc.ts';
import { type Walk, type WalkBatch, walk } from './walk.ts';

const walks = new Map<number, Generator<WalkBatch>>();

const functions = {
  /** The next batch of a walk; undefined after the last one. @param begun what to walk: given with the first call */
  next(id: number, begun?: Walk): WalkBatch | undefined {
    if (begun !== undefined) walks.set(id, walk(begun));
    return walks.get(id)!.next().value ?? undefined;
  },
  end(id: number): void {
    walks.delete(id);
  },
};
export type WalkFunctions = typeof functions;

serveCalls(functions);
