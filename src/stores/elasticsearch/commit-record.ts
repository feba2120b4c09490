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
import { resourceId, sortKeyOf } from './documents.ts';
import { TextBuffer } from './text-buffer.ts';

/** One commit of the log; its number is the `_id` of its document. */
export interface CommitRecord {
  readonly number: number;
  /** Tells whose it is, when the answer to its creation was lost. */
  readonly uuid: string;
  /** The uuid of the commit before. */
  readonly after: string;
  /** The last stamp of the log, this commit included. */
  readonly stamp: Stamp;
  /** When it was decided, milliseconds since 1970. */
  readonly time: number;
  /** The concrete index of its changes: whoever applies it, however late, writes them there. */
  readonly changesIndex: string;
  readonly changes: readonly LoggedChange[];
  /** The ledgers of the sets that it touches, as they are after it. */
  readonly ledgers: readonly LedgerEntry[];
  readonly closed: readonly ClosedWindow[];
  /** It changes nothing, and reserves the next number for the process that made it; see reservation.ts. */
  readonly isReservation?: true;
}

export interface LoggedChange extends Change {
  /** What the resource is sorted by, and the `_id` of its document: both follow from set and key. */
  readonly sortKey: string;
  readonly id: string;
  /** `state`, as events are compared with it. */
  readonly encoded: EncodedState | undefined;
  readonly created: Stamp;
  /** What the key was before this commit. */
  readonly was: Former;
}

/** What a survey needs to know of a key; stamp 0 for one that never was. */
export interface Former {
  readonly stamp: Stamp;
  readonly weight: number;
  readonly live: boolean;
}

export interface LedgerEntry extends SetLedger {
  readonly set: SetId;
  readonly slug: string;
  /** How far each source has come. */
  readonly positions: Readonly<Record<string, number>>;
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
];

/** The document of a commit as it is stored. Changes are rows, which are a third of the size of objects with names. */
export interface CommitDocument {
  readonly uuid: string;
  readonly after: string;
  readonly stamp: Stamp;
  readonly timestamp: string;
  readonly changes_index: string;
  /** `dropped`: they are not kept any more; see commit-dropper.ts. */
  readonly changes: ({ readonly rows: readonly ChangeRow[] } | { readonly zstd: string }) & {
    readonly dropped?: true;
    readonly turn?: true;
  };
  readonly ledgers: { readonly entries: readonly LedgerEntry[] };
  readonly closed: { readonly windows: readonly ClosedWindow[] };
}

/** Bytes that a row takes, with some room. */
const BYTES_PER_ROW = 700;
/** Rows of so many bytes are packed: Elasticsearch, which would only skip them, takes and keeps a tenth of the bytes. */
const WORTH_PACKING = 16_384;

const compress = promisify(zstdCompress);
const QUICKLY = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export async function encodeCommit(record: CommitRecord): Promise<Buffer> {
  const { uuid, after, stamp, time, changesIndex, changes, ledgers, closed, isReservation } = record;
  const rest = {
    uuid,
    after,
    stamp,
    timestamp: new Date(time).toISOString(),
    changes_index: changesIndex,
    ledgers: { entries: ledgers },
    closed: { windows: closed },
  };
  const rows = encodeRows(changes);
  const packed = rows.length < WORTH_PACKING ? undefined : await compress(rows, QUICKLY);
  const text = packed === undefined ? `"rows":${rows.toString()}` : `"zstd":"${packed.toString('base64')}"`;
  return Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"changes":{${isReservation ? '"turn":true,' : ''}${text}}}`);
}

function encodeRows(changes: readonly LoggedChange[]): Buffer {
  const text = new TextBuffer(1_000 + changes.length * BYTES_PER_ROW);
  text.write('[');
  for (const [at, change] of changes.entries()) text.write(at === 0 ? encodeRow(change) : `,${encodeRow(change)}`);
  text.write(']');
  return text.bytes();
}

function decodeRows(changes: CommitDocument['changes']): readonly ChangeRow[] {
  if ('rows' in changes) return changes.rows;
  return JSON.parse(zstdDecompressSync(Buffer.from(changes.zstd, 'base64')).toString());
}

/** A commit besides what it did. */
export type CommitHead = Omit<CommitDocument, 'changes' | 'ledgers' | 'closed'>;

/** What is left of a commit that is dropped: nobody else can be given its number, and the chain of uuids has no hole. */
export function withoutChanges({ uuid, after, stamp, timestamp, changes_index }: CommitHead): CommitDocument {
  return {
    uuid,
    after,
    stamp,
    timestamp,
    changes_index,
    changes: { rows: [], dropped: true },
    ledgers: { entries: [] },
    closed: { windows: [] },
  };
}

export function decodeCommit(number: number, document: CommitDocument): CommitRecord {
  const { uuid, after, stamp, timestamp, changes_index, changes, ledgers, closed } = document;
  return {
    number,
    uuid,
    after,
    stamp,
    time: Date.parse(timestamp),
    changesIndex: changes_index,
    changes: decodeRows(changes).map(decodeRow),
    ledgers: ledgers.entries,
    closed: closed.windows,
    ...(changes.turn && { isReservation: true }),
  };
}

/** A commit without changes, after the newest one. */
export function emptyRecord(
  head: { readonly number: number; readonly uuid: string },
  { stamp, changesIndex }: Pick<CommitRecord, 'stamp' | 'changesIndex'>,
): CommitRecord {
  return {
    number: head.number + 1,
    uuid: randomUUID(),
    after: head.uuid,
    stamp,
    time: Date.now(),
    changesIndex,
    changes: [],
    ledgers: [],
    closed: [],
  };
}

function encodeRow({ set, key, kind, stamp, window, weight, created, was, encoded }: LoggedChange): string {
  const numbers = `${CHANGE_KINDS.indexOf(kind)},${stamp},${window},${weight},${created},${was.stamp},${was.weight},${was.live ? 1 : 0}`;
  return `[${set},${jsonString(key)},${numbers},${encoded ?? 'null'}]`;
}

function decodeRow(row: ChangeRow): LoggedChange {
  const [set, key, kind, stamp, window, weight, created, wasStamp, wasWeight, wasLive, state] = row;
  const was = { stamp: wasStamp, weight: wasWeight, live: wasLive === 1 };
  // It was written from canonical JSON, and its fields keep their order.
  const encoded = state === null ? undefined : JSON.stringify(state);
  const sortKey = sortKeyOf(set, key);
  return {
    set,
    key,
    sortKey,
    id: resourceId(sortKey),
    kind: CHANGE_KINDS[kind]!,
    stamp,
    window,
    weight,
    created,
    was,
    state: state ?? undefined,
    encoded,
  };
}
