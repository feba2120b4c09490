import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { CalledThread, serveCalls, startWorker } from '../../src/lib/workers/rpc.ts';

/** Closes an idle thread that needs a while for it, as a process that does nothing else. Prints a line afterwards. */
const functions = { work() {} };

if (isMainThread) {
  const start = () => startWorker('./close-idle-thread', import.meta.url, { workerData: undefined });
  const thread = new CalledThread<typeof functions>({ work: 'the test', start, idleMs: 600_000 });
  await thread.call('work', []);
  await thread.close();
  console.log(JSON.stringify('closed'));
} else serveCalls(functions, () => wait(100));
