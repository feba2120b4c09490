import type { Readable } from 'node:stream';
import type { ArtifactStore, GetOptions } from '../../artifacts/artifact-store.ts';
import { openCompared } from '../../artifacts/open-compared.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { Mutex } from '../../lib/calls/mutex.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { type Organization, streamOf } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { USUAL_KEEP } from '../stream-dump-settings.ts';
import { type StreamName, setOfStream } from '../stream-set-names.ts';
import { type BuildParts, DumpBuild } from './build-dumps.ts';
import type { WaitingJob } from './choose-boundary.ts';
import { currentDumps } from './current-dumps.ts';
import type { DumpThreadData } from './dump.worker.ts';
import type { BoundaryParts } from './dump-boundary.ts';
import { outdated } from './dump-chain.ts';
import { DumpThread } from './dump-thread.ts';
import type { DumpProgress } from './make-dump.ts';
import { removeUnusedDumpFiles } from './remove-unused-files.ts';
import { StoredDumps } from './stored-dumps.ts';
import type { DumpFile, DumpKind, StreamDump } from './stored-stream-dump.ts';
import { DumpWithdrawal } from './withdraw-dumps.ts';

interface StreamDumpsParts extends BoundaryParts {
  readonly index: BuildParts['index'];
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest' | 'list' | 'head'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'delete' | 'list' | 'folders'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly organizations: Pick<OrganizationRegistry, 'ensureDumpSets'>;
  readonly threadData: DumpThreadData;
}

export interface BuildOptions {
  /** Makes no full dump when nothing has changed since the last one, or nothing has come yet. */
  readonly onlyIfChanged?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** See BoundaryOptions. */
  readonly waitMs?: number | undefined;
  readonly job?: WaitingJob | undefined;
  readonly onWaiting?: ((reason: string) => void) | undefined;
  readonly onProgress?: ((progress: DumpProgress) => void) | undefined;
}

const ANOTHER = 'this process makes another dump';

/** Makes and removes full dumps and deltas of the records of streams. */
export class StreamDumps {
  readonly #parts: StreamDumpsParts;
  readonly #stored: StoredDumps;
  readonly #withdrawal: DumpWithdrawal;
  /** A process makes one dump at a time, to use the memory of only one. */
  readonly #mutex = new Mutex();

  constructor(parts: StreamDumpsParts) {
    this.#parts = parts;
    this.#stored = new StoredDumps(parts.catalog);
    this.#withdrawal = new DumpWithdrawal({ ...parts, stored: this.#stored });
  }

  /**
   * Makes a delta, or a full dump and a delta before it, and then removes the oldest dumps. Returns the new dumps: none
   * when a delta would be empty. If there is no dump that a delta could follow, a full dump is made.
   * @throws TidemarkError `not-found`; `conflict` when an upload is being applied, another process makes a dump, or an
   *   upload was removed meanwhile;
   *   `unavailable` when an artifact cannot be read or written; JobWaits for a job
   */
  async build(name: StreamName, kind: DumpKind, options: BuildOptions = {}): Promise<readonly StreamDump[]> {
    const { signal, onlyIfChanged, waitMs, job, onWaiting, onProgress = () => {} } = options;
    const set = await this.#setOf(name);
    if (job !== undefined && !this.#mutex.isFree) throw new JobWaits(ANOTHER);
    const release = await this.#mutex.acquire(signal);
    const thread = new DumpThread(this.#parts.threadData, signal);
    const parts = {
      ...this.#parts,
      stored: this.#stored,
      thread,
      signal,
      onlyIfChanged,
      waitMs,
      job,
      onWaiting,
      onProgress,
    };
    const build = new DumpBuild(name, set, parts);
    try {
      const made = await (kind === 'full' ? build.full() : build.delta());
      if (made.at(-1)?.kind === 'full') await this.prune(name, await this.#keepOf(name));
      await this.#withdrawal.withdraw(name, made);
      if (name.stream === undefined) await this.#ensureSets(name);
      return made;
    } finally {
      await build.close();
      await thread.close();
      release();
    }
  }

  /** The dumps that were not removed, oldest first. */
  list(name: StreamName): Promise<readonly StreamDump[]> {
    return this.#stored.listed(name);
  }

  /** @throws TidemarkError `not-found`; `gone` when the dump was removed */
  get(name: StreamName, number: number): Promise<StreamDump> {
    return this.#stored.get(name, number);
  }

  /** The bytes of a file, or some of them. @throws TidemarkError as `openCompared` */
  async open({ artifact: key, length, sha256 }: DumpFile, range?: GetOptions['range']): Promise<Readable> {
    return (await openCompared(this.#parts.artifacts, { key, length, sha256 }, range)).body;
  }

  /**
   * Removes all dumps from the list that are older than the last `keep` full dumps: clients that have the oldest
   * remaining full dump can continue. Returns how many were removed.
   */
  async prune(name: StreamName, keep: number): Promise<number> {
    const all = await this.#stored.all(name);
    const listed = new Set(
      outdated(
        all.map(({ body }) => body).filter(({ removed }) => removed === undefined),
        keep,
      ).map(({ number }) => number),
    );
    const removed = all.filter(({ body }) => listed.has(body.number));
    for (const dump of removed) await this.#stored.remove(dump);
    return removed.length;
  }

  /** Deletes files of dumps that were removed, and files that no dump ever named. Returns how many. */
  removeUnused(signal: AbortSignal): Promise<number> {
    return removeUnusedDumpFiles({ ...this.#parts, stored: this.#stored }, signal);
  }

  /** Also when nothing new was made: an earlier version did not make the sets, or was killed before. */
  async #ensureSets(name: StreamName): Promise<void> {
    const kinds = new Set(currentDumps(await this.list(name)).flatMap(({ files }) => files.map(({ kind }) => kind)));
    await this.#parts.organizations.ensureDumpSets(name.organization, [...kinds]);
  }

  async #keepOf({ organization, stream }: StreamName): Promise<number> {
    const { body } = (await this.#parts.catalog.get<Organization>('organization', organization))!;
    const settings = stream === undefined ? body.dumps : streamOf(body, stream).dumps;
    return settings?.keep ?? USUAL_KEEP;
  }

  #setOf(name: StreamName): Promise<ResourceSet> {
    return this.#parts.sets.bySlug(setOfStream(name, 'records'));
  }
}
