import type { Closers } from '../../lib/calls/closers.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Reader } from '../read/source-reader.ts';
import { type AuditReport, audit } from './audit.ts';
import { copyFromDump } from './dump/copy-from-dump.ts';
import { readChanges } from './lists/read-changes.ts';
import { ChangesMissing, type Cursor } from './lists/take-changes.ts';
import type { WantedResource } from './lists/wanted-resource.ts';
import type { MirrorOptions, PassReport } from './mirror-options.ts';
import { type ApplyParts, applyDeletions, applyDescriptions, applyFetches } from './pass/apply-wanted.ts';
import { compareWithSource } from './pass/compare-source.ts';
import { CopyWriter } from './pass/copy-writer.ts';
import { recordRead, type WantedRead } from './pass/record-read.ts';
import { CurrentSet } from './source/current-set.ts';
import type { MirroredSet } from './source/find-set.ts';
import type { EventReader } from './source/listen-to-events.ts';
import { cursorOf } from './state/cursor.ts';
import { type FailedResource, type MirrorState, MOST_FAILURES } from './state/mirror-state.ts';
import { recordFailure } from './state/record-failure.ts';
import { WantedTable } from './state/wanted-table.ts';
import type { MirrorTarget } from './target/mirror-target.ts';

/** Failed resources are tried again after newer changes were read: they may have changed meanwhile. */
const ROUNDS = 3;
/** When fewer resources, or a smaller fraction of the list, are needed, they are fetched one by one. */
const FEWEST_OF_DUMP = 200;
const LEAST_PART_OF_DUMP = 0.1;

export interface MirrorParts {
  readonly options: MirrorOptions;
  readonly reader: Reader;
  readonly eventReader: EventReader;
  readonly state: MirrorState;
  readonly target: MirrorTarget;
  /** A folder of this process alone. */
  readonly own: string;
}

/** A copy of a set. Each pass syncs it with its source. */
export class Mirror {
  /** The URI of the source's stream of changes; undefined while the source has named none. */
  eventsUri: string | undefined;
  readonly #parts: MirrorParts;
  readonly #closers: Closers;
  readonly #set: CurrentSet;
  #hasPassed = false;
  readonly #noticed = new Set<string>();

  constructor(set: MirroredSet, parts: MirrorParts, closers: Closers) {
    this.#set = new CurrentSet(set, parts.reader);
    this.#parts = parts;
    this.#closers = closers;
  }

  /**
   * Syncs the copy with its source, as far as the source can be read.
   * @throws DocumentFailure when a list cannot be read: the copy is unchanged then, or has some of the changes
   */
  async pass(options: PassOptions = {}): Promise<PassReport> {
    await this.#refreshSet();
    try {
      return await this.#pass(options);
    } catch (error) {
      if (!(await this.#set.hasOthersAfter(error))) throw error;
      return this.#pass(options);
    }
  }

  async #refreshSet(): Promise<void> {
    try {
      // Before the first pass, it was just read.
      if (this.#hasPassed) await this.#set.refresh();
      this.#hasPassed = true;
    } catch (error) {
      recordFailure(this.#parts.state, error);
      throw error;
    }
  }

  async #pass({ compares = false, skipsFailed = false }: PassOptions): Promise<PassReport> {
    const { options, state, target, own } = this.#parts;
    const begun = performance.now();
    await target.requireOwned();
    state.recover();
    const writer = new CopyWriter(state, target, options);
    const wanted = new WantedTable(own);
    let compared: PassReport['compared'];
    let failed = 0;
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        writer.counts.failed = 0;
        wanted.clear();
        const isFirst = round === 1;
        const read = await this.#read(wanted, isFirst ? { compares, skipsFailed } : {});
        compared ??= read.compared;
        this.#noticeUnusable(wanted);
        await this.#apply(read, { wanted, writer, isFirst });
        if (
          writer.counts.failed === 0 ||
          writer.counts.failed === failed ||
          this.#set.documents.changeList === undefined
        )
          break;
        failed = writer.counts.failed;
      }
    } catch (error) {
      recordFailure(state, error);
      throw error;
    } finally {
      wanted.close();
    }
    const { count, bytes, failures } = state.totals();
    const upTo = state.fact('cursor');
    return {
      ...writer.counts,
      failed: failures,
      compared,
      resources: count,
      renamed: state.renamed(),
      totalBytes: bytes,
      upTo,
      took: performance.now() - begun,
    };
  }

  /** Makes the copy equal to what was read, and records that. */
  async #apply(read: WantedRead, { wanted, writer, isFirst }: Round): Promise<void> {
    const { options, state, target } = this.#parts;
    const parts = {
      ...this.#parts,
      writer,
      connections: options.connections,
      mayHaveFiles: !isFirst || read.compared !== 'first' || (await hasFiles(target)),
      onProgress: (done: number, total: number) => options.onProgress({ step: 'fetching', done, total }),
    };
    await applyDeletions(wanted, parts);
    await applyDescriptions(wanted, parts);
    if (isFirst) await this.#copyFromDump(wanted, read.list?.listed, parts);
    await applyFetches(wanted, parts);
    recordRead(read, state, wanted);
    if (read.changes !== undefined) this.eventsUri = read.changes.eventsUri;
    state.setFact('lastPass', { time: Date.now(), failure: undefined });
    state.commit();
    failpoint('mirror.passed');
  }

  /**
   * Takes bytes from the Resource Dump, if there is one and enough resources are needed.
   * @param listed number of resources in the Resource List
   */
  async #copyFromDump(wanted: WantedTable, listed: number | undefined, parts: ApplyParts): Promise<void> {
    const { options, own } = this.#parts;
    const { fetches } = wanted.size;
    const uri = this.#set.documents.resourceDump;
    // Files to adopt are probably right, and need not be fetched.
    if (uri === undefined || listed === undefined || !options.dump || options.adopt) return;
    if (fetches < FEWEST_OF_DUMP || fetches < listed * LEAST_PART_OF_DUMP) return;
    const onProgress = (done: number, total: number) => options.onProgress({ step: 'unpacking', done, total });
    const { onNotice } = options;
    await copyFromDump(wanted, { uri, isPartial: fetches < listed, folder: own, onProgress, onNotice }, parts);
  }

  /** @param rehash whether the bytes of all files are read. @throws DocumentFailure */
  async audit(rehash: boolean): Promise<AuditReport> {
    const { options, ...parts } = this.#parts;
    await parts.target.requireOwned();
    const { connections, onProgress, onNotice } = options;
    return audit({ ...parts, set: this.#set.documents, rehash, connections, onProgress, onNotice });
  }

  /** Reads the stream of changes. */
  get eventReader(): EventReader {
    return this.#parts.eventReader;
  }

  /** The first resources that could not be copied, at most `MOST_FAILURES`. */
  failures(): readonly FailedResource[] {
    return this.#parts.state.failures(MOST_FAILURES);
  }

  close(): Promise<void> {
    return this.#closers.close();
  }

  /** Reads the wanted state of resources: from the changes, or from the Resource List and the changes after it. */
  async #read(wanted: WantedTable, { compares = false, skipsFailed = false }: PassOptions): Promise<WantedRead> {
    const { state } = this.#parts;
    const cursor = cursorOf(state);
    if (!compares && cursor !== undefined && this.#set.documents.changeList !== undefined) {
      const failed = skipsFailed ? [] : state.failures(MOST_FAILURES);
      for (const { wanted: json } of failed) wanted.put(JSON.parse(json) as WantedResource);
      try {
        const changes = await this.#readChanges(cursor, wanted);
        return { compared: undefined, list: undefined, changes, changeList: this.#set.documents.changeList };
      } catch (error) {
        if (!(error instanceof ChangesMissing)) throw error;
        if (!error.isGap) return this.#compare(wanted, 'no-changes');
        this.#parts.options.onNotice(`${error.message}: comparing everything`);
        return this.#compare(wanted, 'gap');
      }
    }
    const isFirst = state.fact('listRead') === undefined;
    return this.#compare(wanted, isFirst ? 'first' : compares ? 'asked' : 'no-changes');
  }

  async #compare(wanted: WantedTable, compared: 'first' | 'gap' | 'no-changes' | 'asked'): Promise<WantedRead> {
    const { options, reader, state, own } = this.#parts;
    const { connections } = options;
    const set = this.#set.documents;
    const onListed = (done: number) => options.onProgress({ step: 'comparing', done, total: 0 });
    const onNotice = (text: string, kind?: string) => this.#noticeOnce(text, kind);
    const parts = { set, reader, state, own, wanted, connections, onListed, onNotice };
    const { at, prefix, listed, changes } = await compareWithSource(parts);
    if (state.fact('prefix') === undefined && listed > 0) state.setFact('prefix', prefix);
    return { compared, list: { uri: set.resourceLists[0]!, at, listed }, changes, changeList: set.changeList };
  }

  #noticeUnusable({ unusable }: WantedTable): void {
    if (unusable === undefined) return;
    const { count, example } = unusable;
    this.#noticeOnce(
      `${count === 1 ? 'an entry has' : `${count} entries have`} a length or hashes that cannot be compared, such as ${example}`,
      'unusable',
    );
  }

  /**
   * A source that is followed has the same lists in each pass.
   * @param kind of a notice whose text differs from pass to pass
   */
  #noticeOnce(text: string, kind = text): void {
    if (this.#noticed.has(kind)) return;
    this.#noticed.add(kind);
    this.#parts.options.onNotice(text);
  }

  #readChanges(cursor: Cursor, wanted: WantedTable) {
    const { reader, state } = this.#parts;
    const before = state.fact('changeListRead');
    const list = this.#set.documents.changeList!;
    return readChanges(reader, list, {
      cursor,
      hasRanges: state.fact('hasRanges'),
      validator: before?.uri === list ? before.validator : undefined,
      listener: { onChange: (change, order) => wanted.put(change, order) },
    });
  }
}

interface PassOptions {
  /** Whether to compare the copy with the Resource List even if the changes suffice. */
  readonly compares?: boolean;
  /** Whether resources that failed before are skipped. */
  readonly skipsFailed?: boolean;
}

async function hasFiles(target: MirrorTarget): Promise<boolean> {
  for await (const _ of target.paths()) return true;
  return false;
}

interface Round {
  readonly wanted: WantedTable;
  readonly writer: CopyWriter;
  readonly isFirst: boolean;
}
