import { formatStamp } from '../../../core/stamp.ts';
import type { Document, Entry } from '../../read/document.ts';
import { linksInHeader } from '../../read/page-links.ts';
import type { Reader } from '../../read/reader.ts';
import { DocumentFailure, type ReadEntries, readEntries } from './read-entries.ts';
import { leadsToPage, requireRoot } from './read-resource-list.ts';
import { timeOf, type WantedResource, wantedOf } from './wanted-resource.ts';

/** The position up to which changes have been applied. */
export interface Cursor {
  /** Microseconds since 1970. */
  readonly time: number;
  /** URIs whose changes at exactly this time are applied. */
  readonly seen: readonly string[];
}

export interface ChangesRead {
  readonly cursor: Cursor;
  /** Whether the source answers queries for a range of time; undefined when it was not asked. */
  readonly hasRanges: boolean | undefined;
  readonly validator: string | undefined;
  /** The URI of the source's stream of changes: the link `monitor` (RFC 5989). */
  readonly stream: string | undefined;
  /** Whether the list gets no more changes: later ones are in another list (ResourceSync 1.1, 12.1). */
  readonly isClosed: boolean;
}

interface ChangesOptions {
  readonly cursor: Cursor;
  /** Whether the source answers queries for a range of time; undefined while it is unknown. */
  readonly hasRanges: boolean | undefined;
  /** The validator of the Change List at the last read, which used another cursor. */
  readonly validator: string | undefined;
  readonly onChange: (wanted: WantedResource) => void;
}

/** Microseconds by which the beginning of a range may differ from the requested one. */
const TOLERANCE = 1_000;
const MOST_PARTS = 100_000;

/** The Change List does not reach back to the cursor: only the Resource List shows what has changed. */
export class ChangesMissing extends Error {}

/**
 * Reads the changes after a cursor: as a range, if the source supports ranges, otherwise from each list that may
 * contain some.
 * @returns undefined when the list has not changed
 * @throws ChangesMissing
 * @throws DocumentFailure
 */
export async function readChanges(
  reader: Reader,
  list: string,
  options: ChangesOptions,
): Promise<ChangesRead | undefined> {
  const taker = new ChangeTaker(options);
  const ranges = options.hasRanges === false ? undefined : await readRanges(reader, list, options, taker);
  if (ranges !== undefined) return { ...taker.read(ranges), hasRanges: true, validator: undefined };
  const read = await readAll(reader, list, options, taker);
  const hasRanges = options.hasRanges === undefined ? false : undefined;
  return read === undefined ? undefined : { ...taker.read(read), hasRanges, validator: read.validator };
}

/** Reads a range with `changelist.xml?from=`. Returns undefined when the source has no ranges. */
async function readRanges(
  reader: Reader,
  list: string,
  { cursor }: ChangesOptions,
  taker: ChangeTaker,
): Promise<ReadEntries | undefined> {
  if (list.includes('?')) return undefined;
  for (let from = cursor.time, parts = 1; ; parts++) {
    const read = await readRange(reader, `${list}?from=${formatStamp(from)}`, taker);
    if (read === undefined) return undefined;
    const { md } = read.document;
    const begin = timeOf(md.from);
    if (begin === undefined || begin < from - TOLERANCE) return undefined;
    if (begin > from) throw new ChangesMissing();
    const until = timeOf(md.until);
    taker.end(read.document);
    if (until === undefined || until <= from || parts === MOST_PARTS) return read;
    from = until;
  }
}

async function readRange(reader: Reader, uri: string, taker: ChangeTaker): Promise<ReadEntries | undefined> {
  let isIndex = false;
  try {
    const read = await readEntries(reader, uri, (entry, document) => {
      isIndex ||= leadsToPage(entry, document);
      if (!isIndex) taker.take(entry);
    });
    return isIndex || read.document.root !== 'urlset' ? undefined : read;
  } catch (error) {
    // A source without ranges may refuse the query.
    if (error instanceof DocumentFailure && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

async function readAll(
  reader: Reader,
  list: string,
  { cursor, validator }: ChangesOptions,
  taker: ChangeTaker,
): Promise<ReadEntries | undefined> {
  const parts: Entry[] = [];
  const head = await readEntries(
    reader,
    list,
    (entry, document) => {
      if (leadsToPage(entry, document)) parts.push(entry);
      else taker.take(entry);
    },
    validator,
  );
  if (head === undefined) return undefined;
  requireRoot(head.document);
  requireReach(head.document, cursor, parts);
  if (parts.length === 0) taker.end(head.document);
  for (const { loc, md } of parts) {
    const until = timeOf(md.until);
    if (until !== undefined && until <= cursor.time) continue;
    const uri = loc.trim();
    const read = await readEntries(reader, uri, (entry, document) => {
      if (leadsToPage(entry, document)) throw new DocumentFailure(uri, 'it is an index, in the index that leads to it');
      taker.take(entry);
    });
    requireRoot(read.document);
    taker.end(read.document);
  }
  return head;
}

/** @throws ChangesMissing */
function requireReach({ md, firstTime }: Document, cursor: Cursor, parts: readonly Entry[]): void {
  const from = timeOf(md.from) ?? timeOf(parts[0]?.md.from) ?? timeOf(firstTime);
  if (from === undefined || from > cursor.time) throw new ChangesMissing();
}

/** Passes on changes after the cursor, and computes the next cursor. */
class ChangeTaker {
  readonly #from: number;
  readonly #seenBefore: ReadonlySet<string>;
  readonly #onChange: (wanted: WantedResource) => void;
  #time: number;
  #seen: Set<string>;

  constructor({ cursor, onChange }: ChangesOptions) {
    this.#from = cursor.time;
    this.#time = cursor.time;
    this.#seenBefore = new Set(cursor.seen);
    this.#seen = new Set(cursor.seen);
    this.#onChange = onChange;
  }

  take(entry: Entry): void {
    const wanted = wantedOf(entry, true);
    const { stamp, uri } = wanted;
    if (stamp !== undefined) {
      if (stamp < this.#from || (stamp === this.#from && this.#seenBefore.has(uri))) return;
      if (stamp > this.#time) this.#seen = new Set();
      this.#time = Math.max(this.#time, stamp);
      if (stamp === this.#time) this.#seen.add(uri);
    }
    this.#onChange(wanted);
  }

  /** A closed list contains every change before its `until`. */
  end({ md }: Document): void {
    const until = timeOf(md.until);
    if (until === undefined || until <= this.#time) return;
    this.#time = until;
    this.#seen = new Set();
  }

  read({ document, headers }: ReadEntries): Pick<ChangesRead, 'cursor' | 'stream' | 'isClosed'> {
    const links = linksInHeader(headers.link ?? '');
    const [stream] = links.monitor ?? [];
    const isUri = stream !== undefined && URL.canParse(stream, document.uri);
    return {
      cursor: { time: this.#time, seen: [...this.#seen] },
      stream: isUri ? new URL(stream, document.uri).href : undefined,
      isClosed: document.md.until !== undefined,
    };
  }
}
