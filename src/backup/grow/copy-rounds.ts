import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { StoredSet } from '../../core/stored-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Stores } from '../../stores/open-stores.ts';
import { ArchiveChain } from '../archive-chain.ts';
import { archiveLog } from '../log-archive.ts';
import { recordSegments, requireUnderWay } from '../rebuild-state.ts';
import { requirePast } from '../rebuild-store.ts';
import { replayChanges, replayOrders, replayPositions } from '../replay.ts';
import { openSets } from '../restore-documents.ts';
import type { SegmentMark } from '../segment.ts';
import { type CountedSets, verifyCounts, verifySegments } from '../verify-rebuilt.ts';
import { CatalogCopy } from './copy-catalog.ts';
import { JobsCopy } from './copy-jobs.ts';

export interface CopyProgress {
  readonly step: 'archiving' | 'replaying' | 'comparing';
  /** Number of changes. */
  readonly done: number;
  readonly total: number;
}

interface RoundsInput {
  readonly from: Stores;
  readonly to: Stores;
  readonly artifacts: ArtifactStore;
  readonly chain: string;
  onProgress?(progress: CopyProgress): void;
}

/** What a round has copied. */
export interface CopyRound {
  readonly changes: number;
  readonly documents: number;
  readonly jobs: number;
}

/** Copies a store to another one by its archive, while it serves. Each round copies what it gained since the last. */
export class CopyRounds {
  readonly #input: RoundsInput;
  readonly #chain: ArchiveChain;
  readonly #catalog: CatalogCopy;
  readonly #jobs: JobsCopy;
  readonly #counted: CountedSets = new Map();
  /** The last segment that was copied, by this process. */
  #last: SegmentMark | undefined;

  constructor(input: RoundsInput) {
    const { from, to, artifacts, chain } = input;
    this.#input = input;
    this.#chain = new ArchiveChain(artifacts, chain);
    this.#catalog = new CatalogCopy({ from: from.catalog, to: to.catalog });
    this.#jobs = new JobsCopy({ from: from.jobs, to: to.jobs }, () => requireUnderWay(to.catalog));
  }

  /**
   * @param isLast the store takes no writes: then both are the same
   * @throws TidemarkError `conflict` when another process completes the new store; `invalid` when it differs
   */
  async run(isLast: boolean, signal: AbortSignal): Promise<CopyRound> {
    const { from, to } = this.#input;
    await this.#archive(signal);
    const marks = await this.#chain.all(this.#last);
    // After the boundary of the archive: so the set of each change is among them.
    await openSets(to.catalog, await this.#catalog.newSets());
    await this.#replay(marks, signal);
    const documents = await this.#catalog.copy(isLast);
    const jobs = await this.#jobs.copy();
    await this.#compare(marks, signal);
    if (isLast) await verifyCounts({ index: to.index, sets: await setsOf(from) }, this.#counted);
    this.#last = marks.at(-1) ?? this.#last;
    failpoint('grow.round');
    return { changes: sum(marks), documents, jobs };
  }

  async #archive(signal: AbortSignal): Promise<void> {
    const { from: stores, artifacts } = this.#input;
    const onProgress = this.#progress('archiving');
    for (;;) {
      const { status, mark } = await archiveLog({ stores, artifacts, signal, onProgress });
      if (mark === undefined) throw new TidemarkError('conflict', 'the store is empty: there is nothing to move');
      requirePast(mark);
      // Another process may have archived less.
      if (status !== 'outrun') return;
    }
  }

  async #replay(marks: readonly SegmentMark[], signal: AbortSignal): Promise<void> {
    const { to, artifacts } = this.#input;
    const { segments = 0 } = (await requireUnderWay(to.catalog)).body;
    const missing = marks.filter(({ number }) => number > segments);
    const last = missing.at(-1);
    if (last === undefined) return;
    const onProgress = this.#counting('replaying', sum(missing));
    await replayChanges({ artifacts, index: to.index, marks: missing, signal, onProgress });
    await replayOrders({ artifacts, index: to.index, marks: missing, signal });
    if (last.positions.digest !== this.#last?.positions.digest) {
      await replayPositions({ artifacts, index: to.index }, last);
    }
    await recordSegments(to.catalog, last.number);
  }

  async #compare(marks: readonly SegmentMark[], signal: AbortSignal): Promise<void> {
    const { index } = this.#input.to;
    const onProgress = this.#counting('comparing', sum(marks));
    await verifySegments({ index, marks, signal, onProgress }, this.#counted);
  }

  #progress(step: CopyProgress['step']) {
    return (done: number, total: number) => this.#input.onProgress?.({ step, done, total });
  }

  #counting(step: CopyProgress['step'], total: number) {
    const report = this.#progress(step);
    let done = 0;
    return (more: number) => {
      done += more;
      report(done, total);
    };
  }
}

async function setsOf({ catalog }: Pick<Stores, 'catalog'>): Promise<readonly StoredSet[]> {
  return (await catalog.list<StoredSet>('set')).map(({ body }) => body);
}

function sum(marks: readonly SegmentMark[]): number {
  return marks.reduce((changes, mark) => changes + (mark.changes?.records ?? 0), 0);
}
