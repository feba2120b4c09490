import type { ResourceState } from '../../core/resource.ts';
import { boundaryAfter, type Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { ListedRecord } from '../profiles/profile.ts';
import type { ListPosition } from '../resumption-token.ts';
import { readCurrentRecords } from './current-records.ts';
import { RecordWriter, type WrittenSet } from './record-writer.ts';

export const MOST_RECORDS = 1_000;
/** Bytes of stored records: a page has at least one record, however long it is. */
export const MOST_BYTES = 8 * 1024 * 1024;
/** Bytes of a page that may stay in memory while others are made. */
const MOST_PAUSED_BYTES = 64 * 1024;
/** Number of changes that are read at a time when few of them are in the list. */
const LEAST_READ = 250;

export interface ListPage {
  /** Elements `record` or `header`, ascending by stamp. */
  readonly items: readonly string[];
  /** The boundary above the last one: where the next page begins. */
  readonly through: Stamp;
  /** Whether there is a next page. */
  readonly hasNext: boolean;
  /** Of stored records; 0 for ListIdentifiers. */
  readonly bytes: number;
}

export interface PageOptions {
  /** Ends the reading of a list in which nearly no record is. */
  readonly signal?: AbortSignal | undefined;
  /** Called between two reads of such a list. */
  readonly pause?: () => Promise<void>;
  /** Number of records of a page. */
  readonly most?: number;
  readonly mostBytes?: number;
}

interface PagedSet extends WrittenSet {
  readonly index: WrittenSet['index'] & Pick<ChangeLog, 'changes'> & Pick<ResourceStates, 'lastChanges'>;
}

/**
 * Reads one page of a list. It is complete: a page without a next one was read up to the end of the log, and a page
 * with a next one is followed by at least one record.
 * @throws the reason of the signal when it is aborted; TidemarkError `unavailable` when a record cannot be read
 */
export async function readListPage(
  set: PagedSet,
  { verb, metadataPrefix, spec, after: first, until }: Omit<ListPosition, 'set' | 'cursor'>,
  { signal, pause, most = MOST_RECORDS, mostBytes = MOST_BYTES }: PageOptions = {},
): Promise<ListPage> {
  const style = verb === 'ListIdentifiers' ? 'header' : 'record';
  const writer = new RecordWriter(set, { metadataPrefix, spec, style });
  const weightOf = ({ state }: ListedRecord) => (verb === 'ListRecords' ? lengthOf(state) : 0);
  const items: string[] = [];
  let through = first;
  let bytes = 0;
  for (let after = first, limit = most + 1; ; limit = Math.max(most + 1 - items.length, LEAST_READ)) {
    signal?.throwIfAborted();
    const read = await readCurrentRecords(set.index, set.id, { after, until, limit });
    for (const records of readAtOnce(read.records)) {
      for (const [at, item] of (await writer.write(records)).entries()) {
        if (item === undefined) continue;
        const record = records[at]!;
        const isFull = items.length === most || bytes + weightOf(record) > mostBytes;
        if (isFull && items.length > 0) return { items, through, hasNext: true, bytes };
        items.push(item);
        bytes += weightOf(record);
        through = boundaryAfter(record.stamp);
      }
    }
    if (read.isEnd) return { items, through, hasNext: false, bytes };
    after = read.through;
    if (bytes < MOST_PAUSED_BYTES) await pause?.();
  }
}

/**
 * Cuts records into parts that memory has room for, also where only their headers are listed: a harvested header is in
 * its record. The last record of a part exceeds it: it shows that a full page has a next one.
 */
function* readAtOnce(records: readonly ListedRecord[]): Generator<readonly ListedRecord[]> {
  let from = 0;
  let bytes = 0;
  for (const [at, { state }] of records.entries()) {
    bytes += lengthOf(state);
    if (bytes <= MOST_BYTES || at === from) continue;
    yield records.slice(from, at + 1);
    from = at + 1;
    bytes = 0;
  }
  if (from < records.length) yield records.slice(from);
}

function lengthOf(state: ResourceState | undefined): number {
  return state?.length ?? 0;
}
