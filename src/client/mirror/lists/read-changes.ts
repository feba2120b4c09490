import { formatStamp } from '../../../core/stamp.ts';
import type { Document, Entry } from '../../read/document.ts';
import { linksInHeader } from '../../read/page-links.ts';
import type { Reader } from '../../read/source-reader.ts';
import { DocumentFailure, type ReadEntries, readEntries } from './read-entries.ts';
import { leadsToPage, requireRoot } from './read-resource-list.ts';
import { type ChangeListener, ChangesMissing, ChangeTaker, type Cursor } from './take-changes.ts';
import { timeOf } from './wanted-resource.ts';

export interface ChangesRead {
  readonly cursor: Cursor;
  /** Whether the source answers queries for a range of time; undefined when this was known, or did not show. */
  readonly hasRanges: boolean | undefined;
  /** Undefined also for an index: it stays the same while the list of its last part grows. */
  readonly validator: string | undefined;
  /** The URI of the source's stream of changes: the link `monitor` (RFC 5989). */
  readonly eventsUri: string | undefined;
}

interface ChangesOptions {
  readonly cursor: Cursor;
  /** Whether the source answers queries for a range of time; undefined while this is unknown. */
  readonly hasRanges: boolean | undefined;
  /** The validator of the Change List at the last read, which used another cursor. */
  readonly validator: string | undefined;
  /**
   * Until when the Resource List of the cursor was written, if the changes are read after it: microseconds since 1970.
   * Then the list is read to its end also where it begins later: there is no other source of these changes.
   */
  readonly listCompleted?: number | undefined;
  readonly listener: ChangeListener;
}

/** Microseconds by which the beginning of a range may differ from the requested one. */
const TOLERANCE = 1_000;
const MOST_PARTS = 100_000;
const NO_REACH = 'the Change List does not reach back to the last pass';
/** Statuses for a query that a source does not know. Others, such as 429, say nothing of the next request. */
const UNKNOWN_QUERY: ReadonlySet<number> = new Set([400, 404]);

/** Why no range was read: the source has none, or did not answer this time. */
type NoRange = 'none' | 'refused';

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
  let hasRanges: boolean | undefined;
  if (options.hasRanges !== false) {
    const taker = new ChangeTaker(options.cursor, options.listener);
    const range = await readRanges(reader, list, options, taker);
    if (typeof range !== 'string') return { ...readOf(range, taker), hasRanges: true, validator: undefined };
    if (range === 'none' && options.hasRanges === undefined) hasRanges = false;
  }
  const taker = new ChangeTaker(options.cursor, options.listener);
  const read = await readAll(reader, list, options, taker);
  return read && { ...readOf(read, taker), hasRanges, validator: read.validator };
}

function readOf({ document, headers }: ReadEntries, taker: ChangeTaker): Pick<ChangesRead, 'cursor' | 'eventsUri'> {
  const [eventsUri] = linksInHeader(headers.link ?? '').monitor ?? [];
  const isUri = eventsUri !== undefined && URL.canParse(eventsUri, document.uri);
  return { cursor: taker.cursor(), eventsUri: isUri ? new URL(eventsUri, document.uri).href : undefined };
}

/** Reads a range with `changelist.xml?from=`. */
async function readRanges(
  reader: Reader,
  list: string,
  { cursor, listCompleted }: ChangesOptions,
  taker: ChangeTaker,
): Promise<ReadEntries | NoRange> {
  if (list.includes('?')) return 'none';
  for (let from = cursor.time, parts = 1; ; parts++) {
    const read = await readRange(reader, `${list}?from=${formatStamp(from)}`, taker);
    if (typeof read === 'string') return read;
    const { md } = read.document;
    const begin = timeOf(md.from);
    if (begin === undefined || begin < from - TOLERANCE) return 'none';
    if (begin > from && listCompleted === undefined) throw new ChangesMissing(NO_REACH);
    if (begin > from) return 'refused';
    const until = timeOf(md.until);
    taker.end(read.document);
    if (until === undefined || until <= from || parts === MOST_PARTS) return read;
    from = until;
  }
}

async function readRange(reader: Reader, uri: string, taker: ChangeTaker): Promise<ReadEntries | NoRange> {
  let isIndex = false;
  try {
    const read = await readEntries(reader, uri, (entry, document) => {
      isIndex ||= leadsToPage(entry, document);
      if (!isIndex) taker.take(entry, document);
    });
    return isIndex || read.document.root !== 'urlset' ? 'none' : read;
  } catch (error) {
    if (!(error instanceof DocumentFailure) || error.status < 400 || error.status >= 500) throw error;
    return UNKNOWN_QUERY.has(error.status) ? 'none' : 'refused';
  }
}

async function readAll(
  reader: Reader,
  list: string,
  { cursor, validator, listCompleted }: ChangesOptions,
  taker: ChangeTaker,
): Promise<ReadEntries | undefined> {
  const parts: Entry[] = [];
  const head = await readEntries(
    reader,
    list,
    (entry, document) => {
      if (leadsToPage(entry, document)) parts.push(entry);
      else taker.take(entry, document);
    },
    validator,
  );
  if (head === undefined) return undefined;
  requireRoot(head.document);
  if (listCompleted === undefined) requireReach(head.document, cursor.time, parts);
  if (parts.length === 0) taker.end(head.document);
  for (const { loc, md } of parts) {
    const until = timeOf(md.until);
    if (until !== undefined && isApplied(until, cursor)) continue;
    const uri = loc.trim();
    const read = await readEntries(reader, uri, (entry, document) => {
      if (leadsToPage(entry, document)) throw new DocumentFailure(uri, 'it is an index, in the index that leads to it');
      taker.take(entry, document);
    });
    requireRoot(read.document);
    taker.end(read.document);
  }
  // A later list does not reach back to `at`, and need not.
  if (listCompleted !== undefined) taker.advance(requireReach(head.document, listCompleted, parts));
  return parts.length === 0 ? head : { ...head, validator: undefined };
}

/**
 * Whether all changes of a closed list are applied. At the time of a change, it may have had further ones since.
 * @param until of the list
 */
const isApplied = (until: number, { time, seen }: Cursor): boolean =>
  until < time || (until === time && seen.length === 0);

/** Returns when the list begins. @throws ChangesMissing */
function requireReach({ md, firstTime }: Document, time: number, parts: readonly Entry[]): number {
  const from = timeOf(md.from) ?? timeOf(parts[0]?.md.from) ?? timeOf(firstTime);
  if (from === undefined) throw new ChangesMissing('the Change List does not say when it begins', false);
  if (from > time) throw new ChangesMissing(NO_REACH);
  return from;
}
