import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../lib/workers/questions.ts';
import type { FileDigest } from '../content-root.ts';
import { type HashedRoot, hashFile } from './hash-file.ts';

const root = workerData as HashedRoot;

answerQuestions<string, FileDigest>((path) => hashFile(root, path));
