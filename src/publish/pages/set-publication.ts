import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { KeyRange } from '../../core/key.ts';
import { pageWeight, type ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { retry } from '../../lib/calls/retry.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ChangeLog, LogEntry } from '../../stores/change-log.ts';
import { catalogId } from '../../stores/document-of-set.ts';
import type { Limits, Survey } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { hasMoved, isPaused } from '../../stores/store-fence.ts';
import type { LogTail } from './log-tail.ts';
import { PageDirectory } from './page-directory.ts';
import { widened, widenedFor } from './page-limits.ts';
import type { StoredDirectory } from './stored-directory.ts';

/** Rounds of splitting, while changes come in, after which the caller has to try again later. */
const MOST_ROUNDS = 20;
/** Readers wait while the store moves to another one. */
const DURING_PAUSE = { firstMs: 50, longestMs: 500, isTemporary: isPaused };

export interface PublicationParts {
  readonly index: ChangeLog & SetStatistics;
  readonly catalog: Catalog;
  readonly tail: LogTail;
  /** Surveys a range in a thread. */
  survey(set: ResourceSet['id'], range: KeyRange, limits: Limits): Promise<Survey>;
}

/** A listed page in one version. */
interface KnownPage {
  readonly name: string;
  readonly version: Stamp;
}

/**
 * The page directory of one set and epoch, in sync with the log and with the documents of other processes in the
 * catalog.
 */
export class SetPublication {
  #set: ResourceSet;
  readonly #parts: PublicationParts;
  #directory: PageDirectory | undefined;
  /** Version of the catalog document on which the directory is based. */
  #storedVersion: number | undefined;
  /** Entries that the log tail has passed and that the directory has not counted yet. */
  #pending: LogEntry[] = [];
  #settling: Promise<void> | undefined;
  #catalogHead = -1;
  /** The store has moved to another one: pages stay as they are stored, also those with too many entries. */
  #isFrozen = false;

  constructor(set: ResourceSet, parts: PublicationParts) {
    this.#set = set;
    this.#parts = parts;
  }

  /**
   * Calls `use` with the directory when every page is within its limits, and every change is counted that was committed
   * before the call. The directory changes afterwards: `use` must copy what it needs.
   * @param set as the caller knows it, in the epoch of this publication
   * @throws TidemarkError `not-ready` when changes come in faster than pages can be split, and when the set has a newer
   * epoch by now
   */
  async settled<Result>(set: ResourceSet, use: (directory: PageDirectory) => Result): Promise<Result> {
    // A slow request may have an older version of the set than the one before.
    if ((set.pagesSince ?? 0) > (this.#set.pagesSince ?? 0)) this.#set = set;
    await this.#parts.tail.catchUp();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      if (await this.#isSettled()) return use(this.#directory!);
      // A run that started before the log was read may not have counted all of it.
      const began = this.#settling === undefined;
      await this.#settle();
      if (began && this.#directory !== undefined && !this.#needsSettling(this.#directory)) return use(this.#directory);
    }
    throw new TidemarkError('not-ready', `the pages of "${this.#set.slug}" are being made: try again in a few seconds`);
  }

  /** The listed pages as currently known, without reading the log; none before a client has requested a list. */
  knownPages(): readonly KnownPage[] {
    const directory = this.#directory;
    if (directory === undefined) return [];
    return directory.pages.map(({ name, version }) => ({ name, version }));
  }

  /** Stores the counts, so that the next start need not read the log again. */
  async close(): Promise<void> {
    this.#parts.tail.unfollow(this.#set.id);
    await this.#settling?.catch(() => {});
    if (this.#directory === undefined) return;
    this.#count();
    if (this.#directory.shapeChanged) return;
    try {
      await this.#store(this.#directory);
    } catch (error) {
      // Nothing is lost: the next start reads the log again.
      if (!isTidemarkError(error, 'unavailable')) throw error;
    }
  }

  async #isSettled(): Promise<boolean> {
    const head = await this.#parts.catalog.head('page-directory');
    if (this.#directory === undefined || this.#settling !== undefined || head !== this.#catalogHead) return false;
    this.#count();
    return this.#isFrozen || !this.#needsSettling(this.#directory);
  }

  #settle(): Promise<void> {
    this.#settling ??= this.#makeSettled().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #makeSettled(): Promise<void> {
    const head = await this.#parts.catalog.head('page-directory');
    if (this.#directory === undefined || head !== this.#catalogHead) await this.#load(head);
    const directory = this.#directory!;
    this.#count();
    if (this.#isFrozen || !this.#needsSettling(directory)) return;
    const isResized = directory.isOlderThan(this.#set);
    // Nothing is counted during this wait.
    if (isResized) await this.#replaceAll(directory);
    const overflowing = directory.overflowing();
    for (const { name, from } of overflowing) {
      // Nothing is counted during this wait: a piece records up to where it was counted, but the page that it replaces
      // would not.
      const range = { from, to: directory.endOf(name) };
      directory.split(name, await this.#parts.survey(this.#set.id, range, directory.limits), Date.now());
      failpoint('split.surveyed');
    }
    const isWidened = directory.hasTooManyPages;
    if (isWidened) await this.#replaceAll(directory);
    // The pieces may be counted further than the other pages; an index needs one time for all of them.
    if (isResized || overflowing.length > 0 || isWidened) await this.#parts.tail.catchUp();
    this.#count();
    if (directory.overflowing().length > 0) return;
    directory.removeEmptyPages(Date.now());
    if (!directory.shapeChanged) return;
    await this.#store(directory);
    failpoint('split.saved');
  }

  #count(): void {
    for (const entry of this.#pending) this.#directory!.apply(entry);
    this.#pending = [];
  }

  async #load(head: number): Promise<void> {
    const stored = await this.#parts.catalog.get<StoredDirectory>('page-directory', catalogId(this.#set.id));
    if (stored !== undefined && stored.body.epoch > this.#set.epoch) {
      // Pages of an older epoch must not replace the newer ones, whose names would then be given to other pages.
      throw new TidemarkError('not-ready', `the history of "${this.#set.slug}" has just begun anew: try again`);
    }
    this.#catalogHead = head;
    if (this.#directory !== undefined && stored?.version === this.#storedVersion) return;
    this.#storedVersion = stored?.version;
    this.#pending = [];
    const followed = await this.#parts.tail.follow(this.#set.id, (entries) => this.#pending.push(...entries));
    if (stored === undefined || stored.body.epoch !== this.#set.epoch) {
      const set = this.#set;
      this.#directory = PageDirectory.survey(set, await this.#surveyAll(set), limitsOf(set));
    } else {
      const directory = new PageDirectory(stored.body, limitsOf(this.#set));
      await this.#replay(directory, followed);
      this.#directory = directory;
    }
  }

  /** Counts the changes committed since the directory was stored, up to the position of the tail. */
  async #replay(directory: PageDirectory, until: Stamp): Promise<void> {
    if (directory.through >= until) return;
    for await (const changes of this.#parts.index.changes(this.#set.id, { after: directory.through, until })) {
      for (const change of changes) directory.apply(change);
    }
  }

  /** Cuts the whole set into pages of its page size, or larger ones when they could not all be listed and stored. */
  async #surveyAll(set: ResourceSet): Promise<Survey & { readonly entries: number }> {
    const { id } = set;
    const { resources } = await this.#parts.index.summary(id);
    for (let limits = widened(limitsOf(set), resources); ; ) {
      const survey = await this.#parts.survey(id, {}, limits);
      const wider = widenedFor(survey.pieces, limits);
      if (wider === undefined) return { ...survey, entries: limits.entries };
      limits = wider;
    }
  }

  async #replaceAll(directory: PageDirectory): Promise<void> {
    const set = this.#set;
    directory.replaceAll(await this.#surveyAll(set), set, Date.now());
  }

  #needsSettling(directory: PageDirectory): boolean {
    const { shapeChanged, hasTooManyPages } = directory;
    const hasWrongShape = shapeChanged || hasTooManyPages || directory.isOlderThan(this.#set);
    return hasWrongShape || directory.overflowing().length > 0 || directory.hasEmptyPages();
  }

  async #store(directory: PageDirectory): Promise<void> {
    const { catalog } = this.#parts;
    const id = catalogId(this.#set.id);
    try {
      const put = () => catalog.put('page-directory', id, directory.toStored(Date.now()), this.#storedVersion);
      this.#storedVersion = await retry(put, DURING_PAUSE);
      this.#catalogHead = Math.max(this.#catalogHead, this.#storedVersion);
      directory.shapeChanged = false;
    } catch (error) {
      this.#isFrozen ||= hasMoved(error);
      if (!isTidemarkError(error, 'conflict') && !this.#isFrozen) throw error;
      // Another process was first: clients know its directory. No client has seen this one.
      this.#directory = undefined;
    }
  }
}

function limitsOf(set: ResourceSet): Limits {
  return { entries: set.pageEntries, weight: pageWeight(set) };
}
