import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/open.ts';
import type { PackFunctions, PackThreadData } from './pack.worker.ts';
import type { ChangePackJob } from './pack-changes.ts';
import { PACK_THREAD_LIMITS, type PackJob, type PackThreads } from './pack-job.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

export interface PackOptions {
  /** 1 by default. */
  readonly threads?: PackThreads | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds. A thread holds up to 80 MB, so a server ends it after a build; starting another takes 0.1 s. */
const IDLE_MS = 5_000;

/** Packs pages and windows of changes in threads, one page or window at a time: two would take twice the memory. */
export class Packer {
  readonly #threads: ThreadPool<PackFunctions>;

  constructor(workerData: PackThreadData) {
    const options = { workerData, resourceLimits: PACK_THREAD_LIMITS };
    const start = () => startWorker('./pack.worker', import.meta.url, options);
    this.#threads = new ThreadPool(1, { work: 'packing a dump', start, idleMs: IDLE_MS });
  }

  /** Starts the threads in advance, which takes 0.1 s. If they cannot start, the next call that packs reports why. */
  begin(threads: PackThreads): void {
    this.#threads.call('begin', [threads]).catch(() => {});
  }

  /** @throws TidemarkError as packPage; the signal's reason when it is aborted */
  pack(job: PackJob, contents: ContentsLocation, { threads = 1, signal }: PackOptions): Promise<readonly Package[]> {
    return this.#threads.call('pack', [job, contents, threads], signal);
  }

  /** @throws TidemarkError as packChanges; the signal's reason when it is aborted */
  packChanges(
    job: ChangePackJob,
    contents: ContentsLocation,
    { threads = 1, signal }: PackOptions,
  ): Promise<readonly ChangePackage[] | undefined> {
    return this.#threads.call('packChanges', [job, contents, threads], signal);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
