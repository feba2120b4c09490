import { randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import type { StreamName } from '../stream-set-names.ts';
import { BoundaryChoice, type BoundaryOptions } from './choose-boundary.ts';
import type { BoundaryParts, DumpBoundary } from './dump-boundary.ts';
import { chainOf, type DumpChain } from './dump-chain.ts';
import type { DumpThread } from './dump-thread.ts';
import type { UploadErrata } from './errata-file.ts';
import type { DumpProgress, DumpTask, MadeDump } from './make-dump.ts';
import type { StoredDumps } from './stored-dumps.ts';
import { type DumpKind, namingOf, type StreamDump } from './stored-stream-dump.ts';

export interface BuildParts extends BoundaryParts, BoundaryOptions {
  readonly index: BoundaryParts['index'] & Pick<SetStatistics, 'summary'>;
  readonly stored: StoredDumps;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  readonly thread: Pick<DumpThread, 'run'>;
  readonly onlyIfChanged?: boolean | undefined;
  onProgress(progress: DumpProgress): void;
}

/** Builds dumps of one stream, or of the default stream of an organization. */
export class DumpBuild {
  readonly #name: StreamName;
  readonly #set: Pick<ResourceSet, 'id' | 'epoch'>;
  readonly #parts: BuildParts;
  readonly #choice: BoundaryChoice;

  constructor(name: StreamName, set: Pick<ResourceSet, 'id' | 'epoch'>, parts: BuildParts) {
    this.#name = name;
    this.#set = set;
    this.#parts = parts;
    this.#choice = new BoundaryChoice(name, parts, parts);
  }

  async close(): Promise<void> {
    await this.#choice.close();
  }

  /**
   * Makes a delta, or a full dump if there is no dump that a delta could follow. Returns the new dumps: none when
   * nothing changed.
   * @throws TidemarkError `conflict` when an upload is being applied, or another process makes a dump
   */
  async delta(): Promise<readonly StreamDump[]> {
    const chain = await this.#chain();
    if (chain.after === undefined) return this.full();
    const boundary = await this.#boundary();
    return (await this.#isUnchanged(chain.after, boundary)) ? [] : this.#addDelta(chain, chain.after, boundary);
  }

  /**
   * Makes a full dump, after a delta up to the same boundary: so clients with an earlier full dump need not fetch this
   * one.
   * @throws as `delta`
   */
  async full(): Promise<readonly StreamDump[]> {
    const chain = await this.#chain();
    if (this.#parts.onlyIfChanged && !(await this.#hasChanged(chain))) return [];
    await this.#choice.waitForUploads();
    await this.#run({ work: 'copy', set: this.#set.id });
    failpoint('dumping.copied');
    const boundary = await this.#boundary();
    const delta = chain.after === undefined ? [] : await this.#addDelta(chain, chain.after, boundary);
    const task = this.#task(boundary, chain.full);
    const made = await this.#run({ work: 'full', task });
    const full = await this.#add({ kind: 'full', task, made: made!, before: [...chain.dumps, ...delta] });
    return [...delta, full];
  }

  async #chain(): Promise<DumpChain> {
    const all = await this.#parts.stored.all(this.#name);
    return chainOf(
      all.map(({ body }) => body),
      this.#set,
    );
  }

  /** Whether a full dump would be another one than the last. */
  async #hasChanged({ dumps, full }: DumpChain): Promise<boolean> {
    // The set of the default stream is in sync then.
    await this.#boundary();
    const { resources, lastChange } = await this.#parts.index.summary(this.#set.id);
    return dumps.length === 0 ? resources > 0 : lastChange >= full;
  }

  /** A quick check, for schedules with short intervals. */
  async #isUnchanged(after: Stamp, boundary: DumpBoundary): Promise<boolean> {
    const { lastChange } = await this.#parts.index.summary(this.#set.id);
    return lastChange < after && this.#task(boundary, after).errata.length === 0;
  }

  /** Uploads may go on when it is made. */
  async #boundary(): Promise<DumpBoundary> {
    const boundary = await this.#choice.choose();
    await this.#choice.close();
    return boundary;
  }

  async #addDelta(chain: DumpChain, after: Stamp, boundary: DumpBoundary): Promise<readonly StreamDump[]> {
    const task = { ...this.#task(boundary, after), after };
    const made = await this.#run({ work: 'delta', task });
    return made === undefined ? [] : [await this.#add({ kind: 'delta', task, made, before: chain.dumps })];
  }

  #run(work: Parameters<DumpThread['run']>[0]): Promise<MadeDump | undefined> {
    return this.#parts.thread.run(work, (progress) => this.#parts.onProgress(progress));
  }

  #task({ until, uploads }: DumpBoundary, after: Stamp): CountedTask {
    const inTime = uploads.filter(({ errataAt, errata }) => errataAt >= after && errata !== undefined);
    const errata: readonly UploadErrata[] = inTime
      .map(({ number, errata }) => ({ upload: number, artifact: errata! }))
      .toSorted((one, other) => one.upload - other.upload);
    const erratumCount = inTime.reduce((sum, one) => sum + one.erratumCount, 0);
    return { ...this.#name, set: this.#set.id, until, errata, erratumCount };
  }

  async #add({ kind, task, made, before }: NewDump): Promise<StreamDump> {
    const { organization, stream } = this.#name;
    const last = before.at(-1);
    const number = (last?.number ?? 0) + 1;
    // At least one second after the dump before: the list of dumps has dates in seconds.
    const at = Math.max(Date.now(), (Math.floor((last?.at ?? 0) / 1000) + 1) * 1000);
    const named = { organization, ...(stream !== undefined && { stream }), kind, at };
    const { records, deletions } = made;
    const nameOf = namingOf(named, before);
    const dump: StreamDump = {
      ...named,
      number,
      ...(task.after !== undefined && { after: task.after }),
      until: task.until,
      set: this.#set.id,
      epoch: this.#set.epoch,
      totals: { records, deletions, errata: task.erratumCount },
      files: made.files.map(({ kind: file, ...rest }) => ({ ...nameOf(file), ...rest })),
      token: randomUUID(),
    };
    failpoint('dumping.stored');
    try {
      await this.#parts.stored.add(dump);
    } catch (error) {
      await this.#removeFiles(made, error);
      throw error;
    }
    failpoint('dumping.recorded');
    return dump;
  }

  /** Removes the files only when it is certain that no dump names them; otherwise a nightly job checks that. */
  async #removeFiles({ files }: MadeDump, error: unknown): Promise<void> {
    if (!isTidemarkError(error, 'conflict')) return;
    for (const { artifact } of files) await this.#parts.artifacts.delete(artifact).catch(() => {});
  }
}

interface CountedTask extends DumpTask {
  /** Number of all errata. */
  readonly erratumCount: number;
}

interface NewDump {
  readonly kind: DumpKind;
  readonly task: CountedTask & { readonly after?: Stamp };
  readonly made: MadeDump;
  /** All dumps before it, oldest first. */
  readonly before: readonly StreamDump[];
}
