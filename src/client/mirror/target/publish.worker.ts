import { workerData } from 'node:worker_threads';
import { DiskSync } from '../../../lib/files/disk-sync.ts';
import { serveCalls } from '../../../lib/workers/rpc.ts';
import { type PublishTask, publishFiles } from './publish-files.ts';

/** `workerData` is the root of the copy. */
const disk = new DiskSync(workerData as string);

const functions = { publishFiles: (task: PublishTask) => publishFiles(task, disk) };
export type PublishFunctions = typeof functions;

serveCalls(functions, () => disk.close());
