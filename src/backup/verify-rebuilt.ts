import { TidemarkError } from '../core/errors.ts';
import type { SetId } from '../core/resource-set.ts';
import type { StoredSet } from '../core/stored-set.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { SetStatistics, SetSummary } from '../stores/set-statistics.ts';
import { ChangeDigest, toLogChange } from './change-rows.ts';
import type { SegmentMark } from './segment.ts';

interface Verification {
  readonly index: ChangeLog & SetStatistics;
  readonly marks: readonly SegmentMark[];
  readonly sets: readonly StoredSet[];
  readonly signal?: AbortSignal | undefined;
  /** @param changes number of changes compared since the last call */
  onProgress(changes: number): void;
}

/**
 * Compares the log of the store with the segments, by their digests; then the counts of each set with the log.
 * @throws TidemarkError `invalid` when they differ
 */
export async function verifyRebuilt(verification: Verification): Promise<void> {
  const counted: CountedSets = new Map();
  await verifySegments(verification, counted);
  await verifyCounts(verification, counted);
}

/** The counts of each set, by the segments that were compared so far. */
export type CountedSets = Map<SetId, { -readonly [Name in keyof SetSummary]: number }>;

/** Compares the log of the store with segments, and counts their changes. @throws TidemarkError `invalid` */
export async function verifySegments(verification: Omit<Verification, 'sets'>, counted: CountedSets): Promise<void> {
  for (const mark of verification.marks) {
    if (mark.changes !== undefined) await verifySegment(verification, mark, counted);
  }
}

/** Compares the counts of each set with those of all segments. @throws TidemarkError `invalid` */
export async function verifyCounts(
  { index, sets }: Pick<Verification, 'index' | 'sets'>,
  counted: CountedSets,
): Promise<void> {
  const liveSets = sets.filter(({ removed }) => removed === undefined);
  const summaries = await index.summaries(liveSets.map(({ id }) => id));
  for (const [at, { id, slug }] of liveSets.entries()) {
    const [counts, expected] = [summaries[at], counted.get(id) ?? { resources: 0, changes: 0, lastChange: 0 }];
    const isSame =
      counts?.changes === expected.changes &&
      counts.resources === expected.resources &&
      counts.lastChange === expected.lastChange;
    if (!isSame)
      throw different(`the set "${slug}" counts ${JSON.stringify(counts)}, its log ${JSON.stringify(expected)}`);
  }
}

async function verifySegment(
  { index, signal, onProgress }: Omit<Verification, 'sets'>,
  { number, after, through, changes: file }: SegmentMark,
  counted: CountedSets,
): Promise<void> {
  const digest = new ChangeDigest();
  for await (const changes of index.log({ after, until: through })) {
    signal?.throwIfAborted();
    digest.add(changes.map(toLogChange));
    for (const { set, kind, stamp } of changes) {
      let summary = counted.get(set);
      if (summary === undefined) {
        summary = { resources: 0, changes: 0, lastChange: 0 };
        counted.set(set, summary);
      }
      summary.changes += 1;
      summary.lastChange = stamp;
      if (kind === 'created') summary.resources += 1;
      if (kind === 'deleted') summary.resources -= 1;
    }
    onProgress(changes.length);
  }
  if (digest.value !== file!.digest) throw different(`segment ${number} of its log is another one`);
}

function different(what: string): TidemarkError {
  return new TidemarkError('invalid', `the rebuilt store differs from the archive: ${what}`);
}
