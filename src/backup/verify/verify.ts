import type { ResourceSet } from '../../core/resource-set.ts';
import type { ContentRoot } from '../../sources/content-root.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import { DifferenceList, type Differences } from './differences.ts';
import { verifyLog } from './verify-log.ts';
import { type Published, type PublishedCounts, verifyPublished } from './verify-published.ts';
import { type RecordsInput, verifyRecords } from './verify-records.ts';
import { verifyRoot } from './verify-root.ts';
import { verifyStates } from './verify-states.ts';

export interface VerifyInput {
  readonly set: ResourceSet;
  readonly index: ResourceIndex;
  /** Compares every file's bytes with the state, too. */
  readonly root?: ContentRoot | undefined;
  /** Compares the artifact that a set of records tells with the state, too. */
  readonly records?: RecordsInput['upkeep'] | undefined;
  /** Compares every document that is published with state and log, too. */
  readonly published?: Published | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyProgress {
  readonly step: 'log' | 'state' | 'root' | 'records' | 'published';
  /** How many changes, states, files, records or documents of this step were looked at so far. */
  readonly done: number;
}

export interface VerifyReport {
  readonly changes: number;
  readonly resources: number;
  readonly tombstones: number;
  /** Files of the root; undefined when it was not looked at. */
  readonly files: number | undefined;
  /** Records of the artifact; undefined when it was not looked at. */
  readonly records: number | undefined;
  /** What was compared of the published documents; undefined when they were not. */
  readonly published: PublishedCounts | undefined;
  /** Keys that changed while the set was verified: counts may differ by as many without being wrong. */
  readonly changedMeanwhile: number;
  readonly differences: Differences;
}

/**
 * Whether the state is the fold of the log, and (with a root) the root's files are the state. Everything is streamed, so memory does not
 * grow with the set; somebody may post meanwhile.
 * @throws whatever the index throws; the signal's reason when it is aborted
 */
export async function verify({
  set,
  index,
  root,
  records: upkeep,
  published: documents,
  onProgress,
  signal,
}: VerifyInput): Promise<VerifyReport> {
  const differences = new DifferenceList();
  const watch = (step: VerifyProgress['step']) => (done: number) => {
    signal?.throwIfAborted();
    onProgress?.({ step, done });
  };
  const until = await index.watermark();
  const log = await verifyLog({ set: set.id, index, until, differences, onProgress: watch('log') });
  const states = await verifyStates({ set, index, until, differences, onProgress: watch('state') });
  const files =
    root === undefined ? undefined : await verifyRoot({ set, index, root, differences, onProgress: watch('root') });
  const records = upkeep && (await verifyRecords({ set, upkeep, differences, onProgress: watch('records'), signal }));
  const published =
    documents &&
    (await verifyPublished({ set, index, published: documents, differences, onProgress: watch('published') }));
  const changedMeanwhile = await keysChangedAfter(index, set, until);
  const summary = await index.summary(set.id);

  const compare = (what: string, expected: number, actual: number): void => {
    if (Math.abs(expected - actual) > changedMeanwhile)
      differences.add({ kind: 'count', message: `${what}: ${expected} and ${actual}` });
  };
  compare('last changes in the log that a state has, and states with tombstones', log.matched, states.matchable);
  compare('live resources by the log, and by the state', log.live, states.resources);
  compare('live resources by the state, and by the summary', states.resources, summary.resources);
  if (changedMeanwhile === 0) {
    compare('changes in the log, and by the summary', log.changes, summary.changes);
    compare('stamp of the last change in the log, and by the summary', log.lastStamp, summary.lastChange);
  }
  return {
    changes: log.changes,
    resources: states.resources,
    tombstones: states.tombstones,
    files,
    records,
    published,
    changedMeanwhile,
    differences: differences.result(),
  };
}

async function keysChangedAfter(index: ResourceIndex, set: ResourceSet, after: number): Promise<number> {
  const keys = new Set<string>();
  for await (const batch of index.changes(set.id, { after })) for (const { key } of batch) keys.add(key);
  return keys.size;
}
