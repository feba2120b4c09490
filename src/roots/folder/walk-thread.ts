import { parentPort, workerData } from 'node:worker_threads';
import type { RootEntry } from '../content-root.ts';
import { type SentError, sendError } from './thread.ts';
import { walk } from './walk.ts';

/** Asks for the next batch of a walk, the first ask with a new id begins one. */
export type WalkAsk =
  | { readonly id: number; readonly ask: 'next'; readonly under: string }
  | { readonly id: number; readonly ask: 'end' };

export interface WalkAnswer {
  readonly id: number;
  readonly batch?: readonly RootEntry[];
  /** There are no more batches. */
  readonly done?: boolean;
  readonly error?: SentError;
}

const { root, exclude } = workerData as { root: string; exclude: readonly string[] };
const walks = new Map<number, Generator<readonly RootEntry[]>>();

parentPort!.on('message', (ask: WalkAsk) => {
  if (ask.ask === 'end') walks.delete(ask.id);
  else parentPort!.postMessage({ id: ask.id, ...answer(ask.id, ask.under) } satisfies WalkAnswer);
});

function answer(id: number, under: string): Omit<WalkAnswer, 'id'> {
  const found = walks.get(id) ?? walk({ root, exclude, under });
  walks.set(id, found);
  try {
    const { value, done } = found.next();
    return done ? { done } : { batch: value };
  } catch (error) {
    return { error: sendError(error) };
  }
}
