import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import { storeSent } from '../../artifacts/sent-artifacts.ts';
import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/open-contents.ts';
import type { PackFunctions, PackPorts, PackThreadData } from './pack.worker.ts';
import type { ChangePackJob } from './pack-changes.ts';
import type { PackJob } from './pack-job.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { Package } from './stored-dump.ts';

export interface PackOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds. A thread holds up to 80 MB, so a server ends it after a build; starting another takes 0.1 s. */
const IDLE_MS = 5_000;

/**
 * Packs pages and windows of changes in a thread, one page or window at a time: two would take twice the memory.
 * In a process that has nothing else to do, the calling thread prepares entries, too.
 */
export class Packer {
  readonly #threads: ThreadPool<PackFunctions>;
  readonly #artifacts: ArtifactStore;
  readonly #isAlone: boolean;

  /** @param isAlone whether the process has nothing else to do: packing then takes more memory, and less time */
  constructor(workerData: PackThreadData, { isAlone = false } = {}) {
    this.#isAlone = isAlone;
    const start = () => startWorker('./pack.worker', import.meta.url, { workerData });
    this.#threads = new ThreadPool(1, { work: 'packing a dump', start, idleMs: IDLE_MS });
    this.#artifacts = openArtifacts(workerData.artifacts);
  }

  /** Starts the thread in advance, which takes 0.1 s. If it cannot start, the next call that packs reports why. */
  begin(): void {
    this.#threads.begin();
  }

  /** @throws TidemarkError as packPage; the signal's reason when it is aborted */
  pack(job: PackJob, contents: ContentsLocation, options: PackOptions): Promise<readonly Package[]> {
    return this.#withPorts(contents, options, (ports, transfer) =>
      this.#threads.call('pack', [job, contents, ports], options.signal, transfer),
    );
  }

  /** @throws TidemarkError as packChanges; the signal's reason when it is aborted */
  packChanges(
    job: ChangePackJob,
    contents: ContentsLocation,
    options: PackOptions,
  ): Promise<readonly ChangePackage[] | undefined> {
    return this.#withPorts(contents, options, (ports, transfer) =>
      this.#threads.call('packChanges', [job, contents, ports], options.signal, transfer),
    );
  }

  async close(): Promise<void> {
    await this.#threads.close();
    await this.#artifacts.close();
  }

  /** Stores what the thread sends of packages meanwhile, and prepares entries for it. */
  async #withPorts<Result>(
    contents: ContentsLocation,
    { signal }: PackOptions,
    pack: (ports: PackPorts, transfer: readonly MessagePort[]) => Promise<Result>,
  ): Promise<Result> {
    const packages = new MessageChannel();
    const beside = this.#isAlone ? new MessageChannel() : undefined;
    const storing = storeSent(packages.port1, this.#artifacts, signal);
    // It is awaited last; until then, another error may come first.
    storing.catch(() => {});
    let end: (() => Promise<void>) | undefined;
    try {
      end = beside && (await this.#prepare(beside.port1, contents));
      const ports = { packages: packages.port2, beside: beside?.port2 };
      return await pack(ports, [packages.port2, ...(beside ? [beside.port2] : [])]);
    } finally {
      await end?.();
      packages.port1.close();
      await storing;
    }
  }

  async #prepare(port: MessagePort, contents: ContentsLocation): Promise<() => Promise<void>> {
    // Loaded only now: a server packs in the other thread alone.
    const { prepareBeside } = await import('./prepare-beside.ts');
    return prepareBeside(port, contents, this.#artifacts);
  }
}
