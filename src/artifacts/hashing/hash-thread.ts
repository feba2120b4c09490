import { workerData } from 'node:worker_threads';
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';
import { answerQuestions } from '../../lib/workers/questions.ts';
import { RunningHashes } from './running-hashes.ts';

/** Bytes to add, or the end of them. Their memory is shared with whoever asks. */
export type HashQuestion = Uint8Array | 'digest';

const hashes = new RunningHashes(workerData as readonly HashAlgorithm[]);

answerQuestions<HashQuestion, Hashes | undefined>((question) => {
  if (question === 'digest') return hashes.digest();
  hashes.update(question);
  return undefined;
});
