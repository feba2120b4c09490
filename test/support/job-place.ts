import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobDefinition } from '../../src/jobs/job-definition.ts';
import type { JobParts } from '../../src/jobs/job-parts.ts';
import { type EndedJob, JobRunner, type RunnerOptions } from '../../src/jobs/job-runner.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { Job } from '../../src/stores/job.ts';
import type { JobQueue } from '../../src/stores/job-queue.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import type { StoreKind } from './each-store.ts';
import { until } from './until.ts';

export type Ended = EndedJob & { readonly job: Job };

/** A store whose jobs tests run. The test calls `close` in afterEach. */
export class JobPlace {
  readonly stores: Stores;
  readonly #closers: (() => Promise<unknown>)[];
  readonly #runners = new Set<JobRunner>();
  readonly ended: Ended[] = [];

  /** As a process has it: another one has another. */
  readonly sets: SetRegistry;

  private constructor(stores: Stores, closers: (() => Promise<unknown>)[]) {
    this.stores = stores;
    this.sets = new SetRegistry(stores.catalog, stores.index);
    this.#closers = closers;
  }

  static async make(kind: StoreKind): Promise<JobPlace> {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const { location, dispose } = kind.place(folder, { mayBeMade: true });
    const stores = await openStores(location);
    return new JobPlace(stores, [() => rm(folder, { recursive: true }), dispose, () => stores.close()]);
  }

  get jobs(): JobQueue {
    return this.stores.jobs;
  }

  get parts(): JobParts {
    const configuration = { timeZone: 'Asia/Kolkata' };
    return { jobs: { queue: this.jobs }, sets: this.sets, configuration } as JobParts;
  }

  /** Starts a runner of these jobs. */
  run(definitions: readonly JobDefinition[], options: Partial<RunnerOptions> = {}): JobRunner {
    const runner = new JobRunner({
      definitions,
      parts: this.parts,
      worker: { name: 'tester', leaseMs: 30_000 },
      concurrency: 1,
      events: { onEnded: (job, ended) => this.ended.push({ job, ...ended }) },
      ...options,
    });
    this.#runners.add(runner);
    runner.start();
    return runner;
  }

  /** Waits until a job is in a state, and returns it. */
  reaches(name: string, state: Job['state']): Promise<Job> {
    return until(`${name} is ${state}`, async () => {
      const job = await this.jobs.get(name);
      return job.state === state && job;
    });
  }

  async close(): Promise<void> {
    for (const runner of this.#runners) await runner.stop();
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}
