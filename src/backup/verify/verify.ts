import type { ResourceSet } from '../../core/resource-set.ts';
import type { Source } from '../../sources/source.ts';
import { SyncCounter } from '../../sources/sync-counter.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { LogMaintenance } from '../../stores/log-maintenance.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { DifferenceList, type Differences } from './differences.ts';
import { verifyLog } from './verify-log.ts';
import { type Published, type PublishedCounts, verifyPublished } from './verify-published.ts';
import { verifyStates } from './verify-states.ts';

interface VerifyInput {
  readonly set: ResourceSet;
  readonly index: ChangeLog & ResourceStates & SetStatistics & Pick<LogMaintenance, 'findDamage'>;
  /** Also compares the set with its source: the bytes of every file, or the digest of every record. */
  readonly source?: Source | undefined;
  /** Also compares every published document with state and log. */
  readonly published?: Published | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyProgress {
  readonly step: 'log' | 'state' | 'source' | 'published';
  /** Number of changes, states, files, records or documents of this step that were compared so far. */
  readonly done: number;
  /** About how many there are; undefined for documents. */
  readonly total: number | undefined;
}

export interface VerifyReport {
  readonly changes: number;
  readonly resources: number;
  readonly tombstones: number;
  /** Number of files or records of the source; undefined when it was not compared. */
  readonly compared: number | undefined;
  /** Counts for the published documents; undefined when they were not compared. */
  readonly published: PublishedCounts | undefined;
  /** Number of keys whose state or order changed meanwhile: counts may differ by this many without being wrong. */
  readonly changedMeanwhile: number;
  readonly differences: Differences;
}

/**
 * Verifies that the state is the fold of the log, that the source (if given) has the bytes that the state describes,
 * and that the store itself is undamaged. Everything is streamed, so memory does not grow with the set; clients may
 * post meanwhile.
 * @throws what the index throws; the signal's reason when it is aborted
 */
export async function verify({
  set,
  index,
  source,
  published: documents,
  onProgress,
  signal,
}: VerifyInput): Promise<VerifyReport> {
  const differences = new DifferenceList();
  const watch = (step: VerifyProgress['step'], total?: number) => (done: number) => {
    signal?.throwIfAborted();
    onProgress?.({ step, done, total });
  };
  const until = await index.watermark();
  const { changes } = await index.summary(set.id);
  const log = await verifyLog({ set: set.id, index, until, differences, onProgress: watch('log', changes) });
  const states = await verifyStates({ set, index, until, differences, onProgress: watch('state', log.matched) });
  const onSource = watch('source', log.live);
  const compared = source && (await verifySource({ source, differences, onProgress: onSource, signal }));
  const published =
    documents &&
    (await verifyPublished({ set, index, published: documents, differences, onProgress: watch('published') }));
  const raised = await countRaised(index, set);
  const summary = await index.summary(set.id);
  // Last, so that it counts every change that any of the others may contain.
  const changedMeanwhile = await keysChangedAfter(index, set, until);

  const compare = (what: string, expected: number, actual: number): void => {
    if (Math.abs(expected - actual) > changedMeanwhile)
      differences.add({ kind: 'count', message: `${what}: ${expected} and ${actual}` });
  };
  compare('last changes in the log that a state has, and states with tombstones', log.matched, states.matchable);
  compare('states with a higher order than their last change, and keys whose order was raised', log.raised, raised);
  compare('live resources by the log, and by the state', log.live, states.resources);
  compare('live resources by the state, and by the summary', states.resources, summary.resources);
  if (changedMeanwhile === 0) {
    compare('changes in the log, and by the summary', log.changes, summary.changes);
    compare('stamp of the last change in the log, and by the summary', log.lastStamp, summary.lastChange);
  }
  for (const damage of await index.findDamage()) {
    differences.add({ kind: 'damage', message: `the store's file is damaged, restore it from a backup: ${damage}` });
  }
  return {
    changes: log.changes,
    resources: states.resources,
    tombstones: states.tombstones,
    compared,
    published,
    changedMeanwhile,
    differences: differences.result(),
  };
}

interface SourceInput {
  readonly source: Source;
  readonly differences: DifferenceList;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** Returns the number of files or records compared. */
async function verifySource({ source, differences, onProgress, signal }: SourceInput): Promise<number> {
  const counter = new SyncCounter({ onProgress: ({ files }) => onProgress(files) });
  for await (const mismatches of source.verify({ counter, signal })) {
    for (const mismatch of mismatches) differences.add(mismatch);
  }
  return counter.files;
}

/** Number of keys, deleted ones included, whose order rose without a change. */
async function countRaised(index: ChangeLog & ResourceStates, set: ResourceSet): Promise<number> {
  let count = 0;
  for await (const batch of index.raisedOrders({ after: 0 })) {
    const keys = batch.filter((raised) => raised.set === set.id).map(({ key }) => key);
    const states = await index.lookup(set.id, keys);
    count += states.filter((state) => state !== undefined).length;
  }
  return count;
}

/** Number of keys whose state or order changed after a boundary. */
async function keysChangedAfter(index: ChangeLog, { id }: ResourceSet, after: number): Promise<number> {
  const keys = new Set<string>();
  for await (const batch of index.changes(id, { after })) for (const { key } of batch) keys.add(key);
  for await (const batch of index.raisedOrders({ after })) {
    for (const { set, key } of batch) if (set === id) keys.add(key);
  }
  return keys.size;
}
