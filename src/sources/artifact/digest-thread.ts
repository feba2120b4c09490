import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../lib/workers/questions.ts';
import type { DigesterData, DigestTask } from './digesters.ts';
import { type DigestedChunk, RecordDigester } from './record-digester.ts';
import type { Run } from './run-writer.ts';

/** A thread that unpacks and hashes records for the one that compares them. */
const { publishHashes, descriptor } = workerData as DigesterData;
const digester = new RecordDigester(publishHashes, descriptor);

answerQuestions(perform);

function perform(task: DigestTask): DigestedChunk | readonly Run[] {
  switch (task.task) {
    case 'note':
      return digester.note(task.stretch);
    case 'end':
      return digester.end();
  }
}
