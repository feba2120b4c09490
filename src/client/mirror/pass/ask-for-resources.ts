import { mapInOrder } from '../../../lib/map-in-order.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import type { Reader } from '../../read/reader.ts';
import { conditionsOf } from '../lists/read-entries.ts';
import { agrees, type WantedResource } from '../lists/wanted-resource.ts';
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
  // What agrees with its list has no row.
  const isListed = other === undefined ? known?.copied !== undefined : !other.isDeleted;
  if (isDeleted && !isListed) return;
  if (!isDeleted && other === undefined && known?.copied !== undefined && agrees(known.copied, change) === true) return;
  const status = await statusOf(uri, known?.validator, reader);
  if (DELETED.has(status)) wanted.put({ ...NOTHING, uri }, NOW);
  // A list may be older than the bytes, and so may the change. What cannot be fetched then is reported.
  else if (!isDeleted)
    wanted.put(isListed ? { ...change, length: undefined, hashes: {}, stamp: undefined } : change, NOW);
  else if (status !== 200 && status !== 304) wanted.put({ ...NOTHING, isDeleted: false, uri }, NOW);
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
