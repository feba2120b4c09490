import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../lib/workers/questions.ts';
import type { RootEntry } from '../content-root.ts';
import { type WalkedFolder, walk } from './walk.ts';

/** Asks for the next batch of a walk, which begins with the first such question, or ends it. */
export interface WalkAsk {
  readonly id: number;
  readonly under: string;
  readonly end: boolean;
}

/** A batch; undefined after the last. */
export type WalkAnswer = readonly RootEntry[] | undefined;

const folder = workerData as WalkedFolder;
const walks = new Map<number, Generator<readonly RootEntry[]>>();

answerQuestions<WalkAsk, WalkAnswer>(({ id, under, end }) => {
  const found = walks.get(id) ?? walk({ ...folder, under });
  walks.set(id, found);
  if (end) walks.delete(id);
  return end ? undefined : (found.next().value ?? undefined);
});
