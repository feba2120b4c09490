import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import { storeSent } from '../../artifacts/sent-artifacts.ts';
import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/open-contents.ts';
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
  readonly #artifacts: ArtifactStore;

  constructor(workerData: PackThreadData) {
    const options = { workerData, resourceLimits: PACK_THREAD_LIMITS };
    const start = () => startWorker('./pack.worker', import.meta.url, options);
    this.#threads = new ThreadPool(1, { work: 'packing a dump', start, idleMs: IDLE_MS });
    this.#artifacts = openArtifacts(workerData.artifacts);
  }

  /** Starts the threads in advance, which takes 0.1 s. If they cannot start, the next call that packs reports why. */
  begin(threads: PackThreads): void {
    this.#threads.call('begin', [threads]).catch(() => {});
  }

  /** @throws TidemarkError as packPage; the signal's reason when it is aborted */
  pack(job: PackJob, contents: ContentsLocation, { threads = 1, signal }: PackOptions): Promise<readonly Package[]> {
    return this.#storing(signal, (port) => this.#threads.call('pack', [job, contents, threads, port], signal, [port]));
  }

  /** @throws TidemarkError as packChanges; the signal's reason when it is aborted */
  packChanges(
    job: ChangePackJob,
    contents: ContentsLocation,
    { threads = 1, signal }: PackOptions,
  ): Promise<readonly ChangePackage[] | undefined> {
    return this.#storing(signal, (port) =>
      this.#threads.call('packChanges', [job, contents, threads, port], signal, [port]),
    );
  }

  async close(): Promise<void> {
    await this.#threads.close();
    await this.#artifacts.close();
  }

  /** Stores what the thread sends of packages meanwhile. */
  async #storing<Result>(
    signal: AbortSignal | undefined,
    pack: (port: MessagePort) => Promise<Result>,
  ): Promise<Result> {
    const { port1, port2 } = new MessageChannel();
    const storing = storeSent(port1, this.#artifacts, signal);
    try {
      return await pack(port2);
    } finally {
      port1.close();
      await storing;
    }
  }
}
