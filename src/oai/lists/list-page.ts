import type { ResourceState } from '../../core/resource.ts';
import { boundaryAfter, type Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { ListPosition } from '../resumption-token.ts';
import { type CurrentRecords, readCurrentRecords } from './current-records.ts';
import { RecordWriter, type WrittenSet } from './record-writer.ts';

const MOST_RECORDS = 1_000;
/** Bytes of stored records: a page has at least one record, however long it is. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Bytes of a page that may stay in memory while others are made. */
const MOST_PAUSED_BYTES = 64 * 1024;
/** Number of changes that are read at a time when few of them are in the list. */
const LEAST_READ = 250;

export interface ListPage {
  /** Elements `record` or `header`, ascending by stamp. */
  readonly items: readonly string[];
  /** Where the next page begins; undefined at the end of the list. */
  readonly next: Stamp | undefined;
}

export interface PageOptions {
  /** Ends the reading of a list in which nearly no record is. */
  readonly signal?: AbortSignal | undefined;
  /** Called between two reads of such a list. */
  readonly pause?: () => Promise<void>;
  /** Number of records of a page. */
  readonly most?: number;
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
  { verb, metadataPrefix, spec, after: first, until }: ListPosition,
  { signal, pause, most = MOST_RECORDS }: PageOptions = {},
): Promise<ListPage> {
  const style = verb === 'ListIdentifiers' ? 'header' : 'record';
  const writer = new RecordWriter(set, { metadataPrefix, spec, style });
  const weightOf = (state: ResourceState | undefined) => (verb === 'ListRecords' ? (state?.length ?? 0) : 0);
  const items: string[] = [];
  let next = first;
  let bytes = 0;
  for (let after = first, limit = most + 1; ; limit = Math.max(most + 1 - items.length, LEAST_READ)) {
    signal?.throwIfAborted();
    const read = withinBytes(await readCurrentRecords(set.index, set.id, { after, until, limit }), weightOf);
    const written = await writer.write(read.records);
    for (const [at, item] of written.entries()) {
      if (item === undefined) continue;
      const { stamp, state } = read.records[at]!;
      const isFull = items.length === most || bytes + weightOf(state) > MOST_BYTES;
      if (isFull && items.length > 0) return { items, next };
      items.push(item);
      bytes += weightOf(state);
      next = boundaryAfter(stamp);
    }
    if (read.isEnd) return { items, next: undefined };
    after = read.through;
    if (bytes < MOST_PAUSED_BYTES) await pause?.();
  }
}

/** The first ones of the records that fill a page, and one more: it shows that there is a next page. */
function withinBytes(read: CurrentRecords, weightOf: (state: ResourceState | undefined) => number): CurrentRecords {
  let bytes = 0;
  const full = read.records.findIndex(({ state }) => {
    bytes += weightOf(state);
    return bytes > MOST_BYTES;
  });
  const records = full < 0 ? read.records : read.records.slice(0, Math.max(full, 1) + 1);
  if (records.length === read.records.length) return read;
  return { records, through: boundaryAfter(records.at(-1)!.stamp), isEnd: false };
}
