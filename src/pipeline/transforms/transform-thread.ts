import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../lib/workers/questions.ts';
import { loadTransform } from './load-transform.ts';
import { outputOf } from './output-record.ts';
import type { DescribedTransform, TransformTask, TransformThreadData } from './transform-runner.ts';

// The thread of a TransformRunner.
const { text, folder, progress } = workerData as TransformThreadData;
const loaded = loadTransform(text, folder);
loaded.catch(() => {});

answerQuestions(async (task: TransformTask) => {
  const transform = await loaded;
  if (task.task === 'describe') return { name: transform.name, schema: transform.schema } satisfies DescribedTransform;
  const { first, records, skip, target } = task;
  const outputs = [];
  for (const [at, record] of records.entries()) {
    if (skip.includes(first + at)) {
      outputs.push(undefined);
      continue;
    }
    Atomics.store(progress, 0, first + at);
    const output = outputOf(record, transform, target);
    outputs.push(output instanceof Promise ? await output : output);
  }
  Atomics.store(progress, 0, 0);
  return outputs;
});
