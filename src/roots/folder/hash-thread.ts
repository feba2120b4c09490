import { workerData } from 'node:worker_threads';
import type { FileDigest } from '../content-root.ts';
import { type HashedRoot, hashFile } from './hash-file.ts';
import { answerQuestions } from './thread.ts';

const root = workerData as HashedRoot;

answerQuestions<string, FileDigest>((path) => hashFile(root, path));
