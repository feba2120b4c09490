import { HASH_ALGORITHMS } from '../../../core/hash.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import type { Reader } from '../../read/source-reader.ts';
import { conditionsOf } from '../lists/read-entries.ts';
import { agrees, type CopiedResource, parseHashes, timeOf, type WantedResource } from '../lists/wanted-resource.ts';
import type { MirrorState } from '../state/mirror-state.ts';
import type { WantedTable } from '../state/wanted-table.ts';
import { NOTHING } from './compare-list.ts';

interface AskParts {
  readonly reader: Reader;
  readonly state: MirrorState;
  /** What the list and the other changes want. */
  readonly wanted: WantedTable;
  readonly connections: number;
}

/** An answer is of now, so it is later than every change. */
const NOW = Number.MAX_SAFE_INTEGER;
/** No copy agrees with this time of a change, so that the server decides, whatever `lastmod` is. */
const NO_TIME = 0;
const DELETED: ReadonlySet<number> = new Set([404, 410]);

/**
 * Asks the server for each resource of changes that may be older or newer than the Resource List, and puts into the
 * table what its answer means: deleted, or the bytes that the server has now.
 */
export async function askForResources(unsure: WantedTable, parts: AskParts): Promise<void> {
  for (const kind of ['deletions', 'fetches'] as const) {
    const asked = mapInOrder(unsure.read(kind), parts.connections, (change) => ask(change, parts));
    for await (const _ of asked) parts.reader.signal.throwIfAborted();
  }
}

async function ask(change: WantedResource, { reader, state, wanted }: AskParts): Promise<void> {
  const { uri, isDeleted } = change;
  const other = wanted.get(uri);
  const known = state.resource(uri);
  const copied = known?.copied;
  // What agrees with its list has no row.
  const isListed = other === undefined ? copied !== undefined : !other.isDeleted;
  if (isDeleted && !isListed) return;
  if (!isDeleted && other === undefined && copied !== undefined && isIn(copied, change)) return;
  const status = await statusOf(uri, known?.validator, reader);
  if (DELETED.has(status)) wanted.put({ ...NOTHING, uri }, NOW);
  else if (!isListed) wanted.put(change, NOW);
  else if (!isDeleted || (status !== 200 && status !== 304)) putNow(change, { other, copied, status, wanted });
}

interface ResourceAnswer {
  readonly other: WantedResource | undefined;
  readonly copied: CopiedResource | undefined;
  readonly status: number;
  readonly wanted: WantedTable;
}

/** Puts the bytes that the server has now. What cannot be fetched then is reported. */
function putNow(change: WantedResource, { other, copied, status, wanted }: ResourceAnswer): void {
  const { uri } = change;
  const listed = other ?? { ...NOTHING, uri, lastmod: copied?.lastmod, about: copied?.about };
  const now = { ...(isLater(change, listed) ? change : listed), isDeleted: false };
  if (status === 304 && copied !== undefined) {
    const { length, hash, stamp } = copied;
    wanted.put({ ...now, length, hashes: parseHashes(hash), stamp }, NOW);
    return;
  }
  const isCopied = copied !== undefined && (other === undefined || agrees(copied, other) === true);
  // Bytes of a list are checked, unless the change says that there are others: the list may be older than them.
  if (isCopied || mayBeNewer(change, listed)) {
    wanted.put({ ...now, length: undefined, hashes: {}, stamp: NO_TIME, unusable: undefined }, NOW);
  }
}

/** Whether the copy has the change, as far as it says. */
function isIn(copied: CopiedResource, change: WantedResource): boolean {
  const agreed = agrees(copied, change);
  return agreed ?? isLater(copied, change);
}

/** Whether the change has other bytes than its list, and may be later. */
function mayBeNewer(change: WantedResource, listed: WantedResource): boolean {
  const name = HASH_ALGORITHMS.find((name) => change.hashes[name] !== undefined && listed.hashes[name] !== undefined);
  if (name !== undefined && change.hashes[name] === listed.hashes[name]) return false;
  if (isLater(listed, change)) return false;
  if (name !== undefined || isLater(change, listed)) return true;
  return change.length !== undefined && listed.length !== undefined && change.length !== listed.length;
}

type Dated = Pick<WantedResource, 'lastmod'>;

/** Whether both have a time, and the first one is later. */
function isLater(one: Dated, other: Dated): boolean {
  const [time, otherTime] = [timeOf(one.lastmod), timeOf(other.lastmod)];
  return time !== undefined && otherTime !== undefined && time > otherTime;
}

/** The status of a resource; 0 when there is no response. */
async function statusOf(uri: string, validator: string | undefined, { fetcher, signal }: Reader): Promise<number> {
  try {
    const fetched = await fetcher.get(uri, 'identity', signal, conditionsOf(validator));
    fetched.discard();
    return fetched.status;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchFailure) return 0;
    throw error;
  }
}
