import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { CHANGE_KINDS, type Change } from '../../core/change.ts';
import { jsonString } from '../../core/json-string.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { EncodedState, ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { OpenWindow, SetLedger } from '../../core/set-ledger.ts';
import type { Stamp } from '../../core/stamp.ts';
import { resourceId, sortKeyOf } from './resource-documents.ts';
import { TextBuffer } from './text-buffer.ts';

/** Where a commit is. */
export interface CommitPlace {
  /** The `_id` of its document. */
  readonly number: number;
  /** The number of its log segment. */
  readonly segment: number;
}

/** One commit of the log. */
export interface CommitRecord extends CommitPlace {
  /** Identifies the process that made the commit, when the response to its creation was lost. */
  readonly uuid: string;
  /** The uuid of the previous commit. */
  readonly after: string;
  /** The last stamp of the log, including this commit. */
  readonly stamp: Stamp;
  /** When it was decided, milliseconds since 1970. */
  readonly time: number;
  /** The concrete index of its changes: every process that applies the commit writes to it, however late. */
  readonly changesIndex: string;
  readonly changes: readonly LoggedChange[];
  /** Orders that rose without a change, after all changes of their keys. */
  readonly raised: readonly LoggedOrder[];
  /** The ledgers of the sets that it changes, in the state after it. */
  readonly ledgers: readonly LedgerEntry[];
  readonly closed: readonly ClosedWindow[];
  /** The commit is empty, and reserves the next number for the process that made it: see reservation.ts. */
  readonly isReservation?: true;
  /** The commit is empty, and fences the store, or ends that: see elasticsearch-fence.ts. */
  readonly fence?: FenceMark;
  /** The commit is empty, and ends its segment: see log-segments.ts. */
  readonly isSeal?: true;
}

/** The segment of the number after a commit. */
export function segmentAfter({ segment, isSeal }: Pick<CommitRecord, 'segment' | 'isSeal'>): number {
  return isSeal ? segment + 1 : segment;
}

/** `pause`: no writer may follow for some time. `moved`: none may follow. `open`: ends the fence. */
export type FenceMark =
  | { readonly kind: 'pause'; readonly forMs: number }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'open' };

export interface LoggedChange extends Change {
  /** The sort key of the resource, and the `_id` of its document. Both are derived from set and key. */
  readonly sortKey: string;
  readonly id: string;
  /** `state` as JSON, for comparison with events. */
  readonly encoded: EncodedState | undefined;
  readonly created: Stamp;
  /** The state of the key before this commit. */
  readonly before: StateBefore;
}

/** A key whose order rose, with all other fields of its document. */
export interface LoggedOrder {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly sortKey: string;
  readonly id: string;
  readonly order: number;
  /** The stamp at which the order rose. */
  readonly raised: Stamp;
  /** The stamp of its last change; 0 for a key that never existed. */
  readonly stamp: Stamp;
  readonly created: Stamp;
  readonly weight: number;
  readonly state: ResourceState | undefined;
  readonly encoded: EncodedState | undefined;
}

/** What a survey needs of a key; stamp 0 for a key that never existed. */
export interface StateBefore {
  readonly stamp: Stamp;
  readonly weight: number;
  readonly live: boolean;
}

export interface LedgerEntry extends SetLedger {
  readonly set: SetId;
  readonly slug: string;
  /**
   * The last positions of sources. In a commit: of those that it moves, so that its size does not depend on the others;
   * in older logs of all. Elsewhere: of all sources of the set.
   */
  readonly positions: Readonly<Record<string, number>>;
}

/** The ledger of a set after a commit, with the positions of all sources. */
export function ledgerAfter(ledger: LedgerEntry, { ledgers }: Pick<CommitRecord, 'ledgers'>): LedgerEntry {
  const moved = ledgers.find(({ set }) => set === ledger.set);
  return moved === undefined ? ledger : { ...moved, positions: { ...ledger.positions, ...moved.positions } };
}

export interface ClosedWindow extends OpenWindow {
  readonly set: SetId;
}

type ChangeRow = [
  set: SetId,
  key: ResourceKey,
  kind: number,
  stamp: Stamp,
  window: number,
  weight: number,
  created: Stamp,
  wasStamp: Stamp,
  wasWeight: number,
  wasLive: 0 | 1,
  state: ResourceState | null,
  order?: number,
];

type OrderRow = [
  set: SetId,
  key: ResourceKey,
  order: number,
  raised: Stamp,
  stamp: Stamp,
  created: Stamp,
  weight: number,
  state: ResourceState | null,
];

/** Rows as they are stored: as JSON, or compressed in base64. */
type StoredRows<Row> = { readonly rows: readonly Row[] } | { readonly zstd: string };

/**
 * The document of a commit. Changes are stored as rows, which take a third of the size of objects with member
 * names.
 */
export interface CommitDocument {
  readonly uuid: string;
  readonly after: string;
  readonly stamp: Stamp;
  readonly timestamp: string;
  readonly changes_index: string;
  /** The changes were dropped: see commit-dropper.ts. */
  readonly changes: StoredRows<ChangeRow> & {
    readonly dropped?: true;
    readonly turn?: true;
    readonly fence?: FenceMark;
    readonly seal?: true;
    /** Absent when there are none. */
    readonly raised?: StoredRows<OrderRow>;
  };
  readonly ledgers: { readonly entries: readonly LedgerEntry[] };
  readonly closed: { readonly windows: readonly ClosedWindow[] };
}

/** Bytes of a row, with some reserve. */
const BYTES_PER_ROW = 700;
/**
 * Rows with more bytes are compressed: Elasticsearch does not parse them, and transfers and stores a tenth of the
 * bytes.
 */
const WORTH_PACKING = 16_384;

const compress = promisify(zstdCompress);
const QUICKLY = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export async function encodeCommit(record: CommitRecord): Promise<Buffer> {
  const { uuid, after, stamp, time, changesIndex, changes, raised, ledgers, closed } = record;
  const rest = {
    uuid,
    after,
    stamp,
    timestamp: new Date(time).toISOString(),
    changes_index: changesIndex,
    ledgers: { entries: ledgers },
    closed: { windows: closed },
  };
  const changeRows = await encodeRows(changes, encodeRow);
  const orderRows = raised.length === 0 ? '' : `,"raised":{${await encodeRows(raised, encodeOrderRow)}}`;
  const head = JSON.stringify(rest).slice(0, -1);
  const { isReservation, isSeal, fence } = record;
  const marks = `${isReservation ? '"turn":true,' : ''}${isSeal ? '"seal":true,' : ''}${fence === undefined ? '' : `"fence":${JSON.stringify(fence)},`}`;
  return Buffer.from(`${head},"changes":{${marks}${changeRows}${orderRows}}}`);
}

/** Encodes a member of `StoredRows`. */
async function encodeRows<Item>(items: readonly Item[], encode: (item: Item) => string): Promise<string> {
  const text = new TextBuffer(1_000 + items.length * BYTES_PER_ROW);
  text.write('[');
  for (const [at, item] of items.entries()) text.write(at === 0 ? encode(item) : `,${encode(item)}`);
  text.write(']');
  const rows = text.bytes();
  if (rows.length < WORTH_PACKING) return `"rows":${rows.toString()}`;
  return `"zstd":"${(await compress(rows, QUICKLY)).toString('base64')}"`;
}

function decodeRows<Row>(stored: StoredRows<Row>): readonly Row[] {
  if ('rows' in stored) return stored.rows;
  return JSON.parse(zstdDecompressSync(Buffer.from(stored.zstd, 'base64')).toString());
}

/** The document of a commit without its changes. */
export type CommitHead = Omit<CommitDocument, 'changes' | 'ledgers' | 'closed'> & {
  readonly changes?: Pick<CommitDocument['changes'], 'dropped' | 'seal'>;
};

/**
 * What remains of a dropped commit: its number can never be used again, the chain of uuids stays complete, and a seal
 * still ends its segment.
 */
export function withoutChanges({ uuid, after, stamp, timestamp, changes_index, changes }: CommitHead): CommitDocument {
  const kept = { uuid, after, stamp, timestamp, changes_index, ledgers: { entries: [] }, closed: { windows: [] } };
  return { ...kept, changes: { rows: [], dropped: true, ...(changes?.seal && { seal: true }) } };
}

export function decodeCommit({ number, segment }: CommitPlace, document: CommitDocument): CommitRecord {
  const { uuid, after, stamp, timestamp, changes_index, changes, ledgers, closed } = document;
  return {
    number,
    segment,
    uuid,
    after,
    stamp,
    time: Date.parse(timestamp),
    changesIndex: changes_index,
    changes: decodeRows(changes).map(decodeRow),
    raised: changes.raised === undefined ? [] : decodeRows(changes.raised).map(decodeOrderRow),
    ledgers: ledgers.entries,
    closed: closed.windows,
    ...(changes.turn && { isReservation: true }),
    ...(changes.fence && { fence: changes.fence }),
    ...(changes.seal && { isSeal: true }),
  };
}

/** A commit without changes, after the newest one. */
export function emptyRecord(
  head: CommitPlace & { readonly uuid: string },
  { stamp, changesIndex }: Pick<CommitRecord, 'stamp' | 'changesIndex'>,
): CommitRecord {
  return {
    number: head.number + 1,
    segment: head.segment,
    uuid: randomUUID(),
    after: head.uuid,
    stamp,
    time: Date.now(),
    changesIndex,
    changes: [],
    raised: [],
    ledgers: [],
    closed: [],
  };
}

function encodeRow({ set, key, kind, stamp, window, weight, created, before, encoded, order }: LoggedChange): string {
  const numbers = `${CHANGE_KINDS.indexOf(kind)},${stamp},${window},${weight},${created},${before.stamp},${before.weight},${before.live ? 1 : 0}`;
  const more = order === undefined ? '' : `,${order}`;
  return `[${set},${jsonString(key)},${numbers},${encoded ?? 'null'}${more}]`;
}

function encodeOrderRow({ set, key, order, raised, stamp, created, weight, encoded }: LoggedOrder): string {
  return `[${set},${jsonString(key)},${order},${raised},${stamp},${created},${weight},${encoded ?? 'null'}]`;
}

function decodeOrderRow([set, key, order, raised, stamp, created, weight, state]: OrderRow): LoggedOrder {
  return { set, key, order, raised, stamp, created, weight, ...decodedKey(set, key), ...decodedState(state) };
}

function decodedKey(set: SetId, key: ResourceKey) {
  const sortKey = sortKeyOf(set, key);
  return { sortKey, id: resourceId(sortKey) };
}

/** `JSON.parse` keeps the order of members, so the result is canonical JSON again. */
function decodedState(state: ResourceState | null) {
  return { state: state ?? undefined, encoded: state === null ? undefined : JSON.stringify(state) };
}

function decodeRow(row: ChangeRow): LoggedChange {
  const [set, key, kind, stamp, window, weight, created, wasStamp, wasWeight, wasLive, state, order] = row;
  return {
    set,
    key,
    ...decodedKey(set, key),
    kind: CHANGE_KINDS[kind]!,
    stamp,
    window,
    weight,
    created,
    before: { stamp: wasStamp, weight: wasWeight, live: wasLive === 1 },
    ...decodedState(state),
    ...(order !== undefined && { order }),
  };
}
