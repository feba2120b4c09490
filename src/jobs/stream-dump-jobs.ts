import type { StreamName } from '../records/stream-set-names.ts';
import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { addUnlessWaiting } from './add-unless-waiting.ts';
import { jobOf } from './job-definition.ts';
import { jobsPer } from './jobs-per.ts';
import { buildStreamDump, type DumpOfStream, dumpedSet } from './kinds/build-stream-dump.ts';
import { idOfTime } from './schedule.ts';

/** Jobs that users request, each for a dump of a stream. */
export class StreamDumpJobs {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** The jobs that wait or run, the last added first. */
  async open(name: StreamName): Promise<readonly Job[]> {
    const filter = { kinds: [buildStreamDump.kind], states: ['queued', 'running'] } as const;
    const open: Job[] = [];
    for await (const job of jobsPer(this.#jobs, dumpedSet(name), filter)) open.push(job);
    return open;
  }

  /** Adds a job, to run now, or returns the one that is waiting. */
  async add(dump: DumpOfStream): Promise<Job> {
    const open = await this.open(dump);
    const waiting = open.find(({ state, payload }) => state === 'queued' && isRequested(payload, dump.kind));
    const id = `${idOfTime(Date.now(), dumpedSet(dump))}.${dump.kind}`;
    return addUnlessWaiting(this.#jobs, waiting, jobOf(buildStreamDump, { id, payload: dump }));
  }
}

/** One of a schedule may make nothing. */
function isRequested(payload: unknown, wanted: DumpOfStream['kind']): boolean {
  const { kind, onlyIfChanged } = payload as DumpOfStream;
  return kind === wanted && !onlyIfChanged;
}
