import { workerData } from 'node:worker_threads';
import type { FileDigest } from '../content-root.ts';
import { hashFile } from './hash-file.ts';
import { answerQuestions } from './thread.ts';

const { root } = workerData as { root: string };

answerQuestions<string, FileDigest>((path) => hashFile(root, path));
