import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/contents.ts';
import type { PackFunctions, PackThreadData } from './pack.worker.ts';
import type { ChangePackJob } from './pack-changes.ts';
import type { PackJob } from './pack-job.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

/** Pages, or windows of changes, that are packed at a time: as many as keep a machine of two cores busy. */
export const PACKED_AT_ONCE = 2;
/** Of what packing makes, nearly nothing is kept. */
const YOUNG_MB = 2;

/** Packs pages and windows of changes in threads. */
export class Packer {
  readonly #threads: ThreadPool<PackFunctions>;

  constructor(workerData: PackThreadData) {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const start = () => startWorker('./pack.worker', import.meta.url, { workerData, resourceLimits });
    this.#threads = new ThreadPool(PACKED_AT_ONCE, { work: 'packing a dump', start });
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
