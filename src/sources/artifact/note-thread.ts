import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../lib/workers/questions.ts';
import type { NoterData, NoteTask } from './noters.ts';
import { type NotedStretch, RecordNoter } from './record-noter.ts';
import type { Run } from './run-writer.ts';

/** A thread that unpacks and hashes records for the one that compares them. */
const { publishHashes, descriptor } = workerData as NoterData;
const noter = new RecordNoter(publishHashes, descriptor);

answerQuestions(perform);

function perform(task: NoteTask): NotedStretch | readonly Run[] {
  switch (task.task) {
    case 'note':
      return noter.note(task.stretch);
    case 'end':
      return noter.end();
  }
}
