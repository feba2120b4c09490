import type { ResourceKey } from '../../core/key.ts';
import { MAX_ENTRIES, type ResourceSet } from '../../core/resource-set.ts';
import { boundaryBefore, type Stamp } from '../../core/stamp.ts';
import type { LogEntry } from '../../stores/change-log.ts';
import type { Limits, Piece } from '../../stores/resource-states.ts';
import { partName } from './document-name.ts';
import { bytesOf, MOST_BYTES, MOST_PAGES, MOST_RETIRED_BYTES } from './page-limits.ts';
import type { Page, RetiredPage, StoredDirectory } from './stored-directory.ts';

/** The fields of a set that determine the size of its pages. */
type SizedSet = Pick<ResourceSet, 'epoch' | 'pageEntries' | 'pagesSince'>;

/** The result of a survey of the whole set. `entries` is the most of a page, when that exceeds the set's page size. */
interface WholeSurvey {
  readonly through: Stamp;
  readonly pieces: readonly Piece[];
  readonly entries?: number;
}

export const PAGE_NAME_KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Maps ranges of keys to the pages of a set. It is computed from the log alone, so every server has the same one, with
 * one exception: the place where a page is split is read from the store, and recorded in the catalog before any client
 * sees it.
 *
 * A page name never loses a key that it contained. A key above every key that a full page ever contained opens a new
 * page; a page that overflows in the middle is retired, and its pieces get new names.
 */
export class PageDirectory {
  readonly epoch: number;
  /** The most entries of a page, according to the set. */
  #entries: number;
  #pagesSince: Stamp | undefined;
  #limits: Limits;
  #lastNumber: number;
  #pages: Page[];
  #retired: RetiredPage[];
  /** The boundary up to which every change is counted. */
  through: Stamp;
  /** Whether pages were added or removed since the directory was stored. */
  shapeChanged: boolean;

  constructor(stored: StoredDirectory, limits: Limits) {
    this.epoch = stored.epoch;
    this.through = stored.through;
    this.#lastNumber = stored.lastNumber;
    this.#pages = stored.pages.map((page) => ({ ...page }));
    this.#retired = [...stored.retired];
    this.#entries = stored.pageEntries ?? limits.entries;
    this.#pagesSince = stored.pagesSince;
    this.#limits = { ...limits, entries: Math.max(this.#entries, stored.entries ?? 0) };
    this.shapeChanged = false;
  }

  /** Makes a directory from a survey of the whole set. */
  static survey(
    { epoch, pagesSince }: Omit<SizedSet, 'pageEntries'>,
    { through, pieces, entries = 0 }: WholeSurvey,
    limits: Limits,
  ) {
    const stored = { epoch, through, lastNumber: 0, pages: [], retired: [], entries, pagesSince };
    const directory = new PageDirectory(stored, limits);
    directory.#pages = pieces.map((piece) => directory.#newPage(piece, through));
    directory.shapeChanged = true;
    return directory;
  }

  get pages(): readonly Readonly<Page>[] {
    return this.#pages;
  }

  get limits(): Limits {
    return this.#limits;
  }

  get retired(): readonly RetiredPage[] {
    return this.#retired;
  }

  /** The number of the last name; every lower one has been in use. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** Counts a change of the set. */
  apply({ key, kind, stamp, weight }: LogEntry): void {
    this.through = Math.max(this.through, stamp + 1);
    const at = this.#indexOf(key);
    const page = this.#pages[at]!;
    if (stamp < page.counted) return;
    if (kind === 'created' && key > page.high && this.#wouldOverflow(page, weight)) {
      const last = { from: key, last: key, entries: 1, weight, newest: stamp };
      this.#pages.splice(at + 1, 0, this.#newPage(last, stamp + 1));
      this.shapeChanged = true;
      return;
    }
    page.version = stamp;
    page.counted = stamp + 1;
    if (kind === 'deleted') page.entries -= 1;
    else page.weight += weight;
    if (kind === 'created') {
      page.entries += 1;
      if (key > page.high) page.high = key;
    }
    if (!this.#overflows(page)) page.full = undefined;
    else page.full ??= boundaryBefore(stamp);
  }

  /** The pages that are, or may be, too full. They must be surveyed before anything is published. */
  overflowing(): readonly Readonly<Page>[] {
    return this.#pages.filter(({ full }) => full !== undefined);
  }

  /** Whether there are empty pages beside others. */
  hasEmptyPages(): boolean {
    return this.#pages.length > 1 && this.#pages.some(({ entries }) => entries === 0);
  }

  /** Replaces a page by the pieces that a survey of its range found. */
  split(name: string, { through, pieces }: { through: Stamp; pieces: readonly Piece[] }, now: number): void {
    const at = this.#pages.findIndex((page) => page.name === name);
    const page = this.#pages[at]!;
    if (pieces.length === 1) {
      const [{ entries, weight, newest, last }] = pieces as [Piece];
      Object.assign(page, { entries, weight, counted: through, full: undefined });
      page.version = Math.max(page.version, newest);
      if (last !== undefined && last > page.high) page.high = last;
      return;
    }
    this.#retire(at, page.full ?? boundaryBefore(page.counted), now);
    const parts = pieces.map((piece) => this.#newPage(piece, through));
    parts[0]!.from = page.from;
    this.#pages.splice(at, 1, ...parts);
    this.shapeChanged = true;
  }

  /** Whether there are more pages than an index may list, or than one document of the catalog may describe. */
  get hasTooManyPages(): boolean {
    if (this.#pages.length > MOST_PAGES) return true;
    // Pages of the largest size cannot be made larger.
    if (this.#limits.entries >= MAX_ENTRIES) return false;
    return bytesOf(this.#pages.map(({ from, high }) => [from, high])) > MOST_BYTES;
  }

  /** Whether the page size of the set was changed since its pages were made. */
  isOlderThan({ pagesSince = 0 }: Pick<SizedSet, 'pagesSince'>): boolean {
    return (this.#pagesSince ?? 0) < pagesSince;
  }

  /** Replaces all pages by the result of a survey of the whole set. */
  replaceAll({ through, pieces, entries = 0 }: WholeSurvey, set: SizedSet, now: number): void {
    for (const [at, page] of this.#pages.entries()) this.#retire(at, page.full ?? boundaryBefore(page.counted), now);
    this.#entries = set.pageEntries;
    this.#pagesSince = set.pagesSince;
    this.#limits = { ...this.#limits, entries: Math.max(set.pageEntries, entries) };
    this.#pages = pieces.map((piece) => this.#newPage(piece, through));
    this.shapeChanged = true;
  }

  /** Removes empty pages; the page before, or after, covers their range. */
  removeEmptyPages(now: number): void {
    for (let at = this.#pages.length - 1; at >= 0 && this.#pages.length > 1; at--) {
      const page = this.#pages[at]!;
      if (page.entries > 0) continue;
      this.#retire(at, page.counted, now);
      this.#pages.splice(at, 1);
      const heir = this.#pages[Math.max(at - 1, 0)]!;
      if (at === 0) heir.from = '';
      heir.version = Math.max(heir.version, page.version);
      this.shapeChanged = true;
    }
  }

  /**
   * The document for the catalog. Names that were retired more than a day ago, or that are too many, are forgotten, and
   * then answered with 410.
   */
  toStored(now: number): StoredDirectory {
    this.#forgetRetired(now);
    const { epoch, through } = this;
    const { entries } = this.#limits;
    return {
      epoch,
      through,
      lastNumber: this.#lastNumber,
      pages: this.#pages,
      retired: this.#retired,
      ...(entries > this.#entries && { entries }),
      ...(this.#pagesSince !== undefined && { pageEntries: this.#entries, pagesSince: this.#pagesSince }),
    };
  }

  /** The key at which the range of a page ends; undefined for the last page. */
  endOf(name: string): ResourceKey | undefined {
    const at = this.#pages.findIndex((page) => page.name === name);
    return this.#pages[at + 1]?.from;
  }

  #forgetRetired(now: number): void {
    let bytes = 0;
    const kept = this.#retired.toReversed().filter(({ from, to, retired }) => {
      bytes += bytesOf([[from, to]]);
      return now - retired < PAGE_NAME_KEPT_MS && bytes <= MOST_RETIRED_BYTES;
    });
    this.#retired = kept.reverse();
  }

  #retire(at: number, through: Stamp, now: number): void {
    const { name, from } = this.#pages[at]!;
    this.#retired.push({ name, from, to: this.#pages[at + 1]?.from, through, retired: now });
  }

  #newPage({ from = '', last = '', entries, weight, newest }: Piece, counted: Stamp): Page {
    this.#lastNumber += 1;
    const name = partName(this.epoch, this.#lastNumber);
    const page: Page = { name, from, entries, weight, version: newest, high: last, counted };
    return page;
  }

  #wouldOverflow({ entries, weight }: Page, more: number): boolean {
    return this.#overflows({ entries: entries + 1, weight: weight + more });
  }

  #overflows({ entries, weight }: Pick<Page, 'entries' | 'weight'>): boolean {
    return entries > this.#limits.entries || weight > this.#limits.weight;
  }

  /** Binary search for the page that contains a key: the last one that begins at or below it. */
  #indexOf(key: ResourceKey): number {
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#pages[middle]!.from <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
