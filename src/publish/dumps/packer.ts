import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/contents.ts';
import type { PackFunctions, PackThreadData } from './pack.worker.ts';
import type { ChangePackJob } from './pack-changes.ts';
import { PACK_THREAD_LIMITS, type PackJob } from './pack-job.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

/**
 * Packs pages and windows of changes in a thread, one at a time: each keeps a machine of two cores busy, and two at a
 * time would take twice the memory.
 */
export class Packer {
  readonly #threads: ThreadPool<PackFunctions>;

  constructor(workerData: PackThreadData) {
    const options = { workerData, resourceLimits: PACK_THREAD_LIMITS };
    const start = () => startWorker('./pack.worker', import.meta.url, options);
    this.#threads = new ThreadPool(1, { work: 'packing a dump', start });
  }

  /** @throws TidemarkError as packPage; the signal's reason when it is aborted */
  pack(job: PackJob, contents: ContentsLocation, signal?: AbortSignal): Promise<readonly Package[]> {
    return this.#threads.call('pack', [job, contents], signal);
  }

  /** @throws TidemarkError as packChanges; the signal's reason when it is aborted */
  packChanges(
    job: ChangePackJob,
    contents: ContentsLocation,
    signal?: AbortSignal,
  ): Promise<readonly ChangePackage[] | undefined> {
    return this.#threads.call('packChanges', [job, contents], signal);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
