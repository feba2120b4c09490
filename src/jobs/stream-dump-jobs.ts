import { type Job, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { jobOf } from './job-definition.ts';
import { buildStreamDump, type DumpOfStream, dumpedSet } from './kinds/build-stream-dump.ts';
import { idOfTime } from './schedule.ts';

/** Jobs among which the one of a stream is found that waits. */
const MOST_READ = 500;

/** Jobs that people add, each for a dump of a stream. */
export class StreamDumpJobs {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** Adds a job, to be done now, or returns the one that waits. */
  async add(dump: DumpOfStream): Promise<Job> {
    const set = dumpedSet(dump);
    const kinds = [buildStreamDump.kind];
    const queued = await this.#jobs.list({ kinds, states: ['queued'], limit: MOST_READ });
    const waiting = queued.find(({ payload, oneAtATimePer }) => oneAtATimePer === set && kindOf(payload) === dump.kind);
    if (waiting !== undefined) return waiting.notBefore > Date.now() ? this.#jobs.retry(jobName(waiting)) : waiting;
    const id = `${idOfTime(Date.now(), set)}.${dump.kind}`;
    await this.#jobs.addAll([jobOf(buildStreamDump, { id, payload: dump })]);
    return this.#jobs.get(`${buildStreamDump.kind}/${id}`);
  }
}

function kindOf(payload: unknown): DumpOfStream['kind'] {
  return (payload as DumpOfStream).kind;
}
