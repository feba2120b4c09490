import type { ResourceSet } from '../core/resource-set.ts';
import type { Job, JobState } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { addUnlessWaiting } from './add-unless-waiting.ts';
import { type JobDefinition, jobOf } from './job-definition.ts';
import { jobsPer } from './jobs-per.ts';
import { idOfTime } from './schedule.ts';

/** Jobs of one kind that users request, each for a set. */
export class JobsOfSets {
  readonly #jobs: JobQueue;
  readonly #definition: JobDefinition;
  readonly #check: (set: ResourceSet) => void;

  /**
   * @param definition its payload is OfSet, and one job of a set runs at a time
   * @param check throws for a set that cannot have such a job
   */
  constructor(jobs: JobQueue, definition: JobDefinition, check: (set: ResourceSet) => void = () => {}) {
    this.#jobs = jobs;
    this.#definition = definition;
    this.#check = check;
  }

  /** Adds a job for a set, to run now, or returns the one that is waiting. @throws TidemarkError as `check` */
  async add(set: ResourceSet): Promise<Job> {
    this.#check(set);
    const waiting = await this.latest(set, ['queued']);
    const id = idOfTime(Date.now(), set.slug);
    return addUnlessWaiting(this.#jobs, waiting, jobOf(this.#definition, { id, payload: { set: set.slug } }));
  }

  /** The newest job of the set; undefined when there is none, or its record was removed. */
  async latest({ slug }: ResourceSet, states?: readonly JobState[]): Promise<Job | undefined> {
    for await (const job of jobsPer(this.#jobs, slug, { kinds: [this.#definition.kind], states })) return job;
    return undefined;
  }
}
