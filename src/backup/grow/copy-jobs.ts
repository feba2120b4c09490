import { type Job, jobName } from '../../stores/job.ts';
import type { JobQueue } from '../../stores/job-queue.ts';
import { digestOf } from '../catalog-documents.ts';

const PAGE = 1_000;
const AT_ONCE = 8;

/** Copies jobs with their logs: those that wait, and those that have ended. */
export class JobsCopy {
  readonly #from: JobQueue;
  readonly #to: JobQueue;
  readonly #check: () => Promise<unknown>;
  /** Digests of the jobs that were copied, by name. */
  readonly #copied = new Map<string, string>();

  /** @param check throws when the new store is complete */
  constructor({ from, to }: Record<'from' | 'to', JobQueue>, check: () => Promise<unknown>) {
    this.#from = from;
    this.#to = to;
    this.#check = check;
  }

  /** Copies the jobs that changed since the last call. Returns their number. */
  async copy(): Promise<number> {
    const changed = (await this.#list()).filter((job) => this.#copied.get(jobName(job)) !== digestOf([job]));
    // The oldest first: workers take those that were added first.
    changed.reverse();
    for (let at = 0; at < changed.length; at += AT_ONCE) {
      await Promise.all(changed.slice(at, at + AT_ONCE).map((job) => this.#copy(job)));
    }
    return changed.length;
  }

  async #copy(job: Job): Promise<void> {
    const name = jobName(job);
    await this.#to.restore({ job, log: await this.#from.log(name) }, this.#check);
    this.#copied.set(name, digestOf([job]));
  }

  async #list(): Promise<Job[]> {
    const jobs: Job[] = [];
    for (;;) {
      const page = await this.#from.list({ after: jobs.at(-1), limit: PAGE });
      jobs.push(...page);
      if (page.length < PAGE) return jobs;
    }
  }
}
