import { workerData } from 'node:worker_threads';
import type { NoterData, NoteTask } from './records/noters.ts';
import { type NotedStretch, RecordNoter } from './records/record-noter.ts';
import type { Run } from './records/run-writer.ts';
import { answerQuestions } from './threads/questions.ts';

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
