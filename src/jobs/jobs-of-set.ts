import type { ResourceSet } from '../core/resource-set.ts';
import { type Job, type JobState, jobName } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { type JobDefinition, jobOf } from './job-definition.ts';
import { idOfTime } from './schedule.ts';

/** Jobs of all sets among which those of one are found. */
const MOST_READ = 500;

/** Jobs of one kind that people add, each for a set. */
export class JobsOfSets {
  readonly #jobs: JobQueue;
  readonly #definition: JobDefinition;
  readonly #check: (set: ResourceSet) => void;

  /**
   * @param definition its payload is OfSet, and one job of a set runs at a time
   * @param check throws for a set that can have no such job
   */
  constructor(jobs: JobQueue, definition: JobDefinition, check: (set: ResourceSet) => void = () => {}) {
    this.#jobs = jobs;
    this.#definition = definition;
    this.#check = check;
  }

  /** Adds a job for a set, to be done now, or returns the one that waits. @throws TidemarkError as `check` */
  async add(set: ResourceSet): Promise<Job> {
    this.#check(set);
    const waiting = await this.latest(set, ['queued']);
    // One that failed before waits for a while: not now.
    if (waiting !== undefined) return waiting.notBefore > Date.now() ? this.#jobs.retry(jobName(waiting)) : waiting;
    const id = idOfTime(Date.now(), set.slug);
    await this.#jobs.addAll([jobOf(this.#definition, { id, payload: { set: set.slug } })]);
    return this.#jobs.get(`${this.#definition.kind}/${id}`);
  }

  /** The job of a set that was added last, when it is among the last hundreds of all sets. */
  async latest({ slug }: ResourceSet, states?: readonly JobState[]): Promise<Job | undefined> {
    const found = await this.#jobs.list({ kinds: [this.#definition.kind], states, limit: MOST_READ });
    return found.find(({ oneAtATimePer }) => oneAtATimePer === slug);
  }
}
