import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { EncodedEvent } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { Upload } from '../arrivals/upload.ts';
import type { AppliedUpload, ReadUpload } from '../arrivals/upload-state.ts';
import type { Attempt } from './attempt.ts';
import type { EarlierChange, MergeStep, UploadToApply } from './merge-upload.ts';
import type { ProcessingThread } from './processing-thread.ts';
import { entriesOfFiles, type ReplacedCounts } from './replaced-records.ts';

interface UploadOfSet {
  readonly set: ResourceSet;
  readonly upload: Pick<Upload, 'number' | 'received'>;
  /** The artifact of its records. */
  readonly records: ObjectKey;
  readonly recordsSha256: string | undefined;
  /** As they were read. */
  readonly files: ReadUpload['files'];
  /** The last stamp committed before the first of its events. */
  readonly after: Stamp;
}

export interface ApplyParts {
  readonly thread: Pick<ProcessingThread, 'merge'>;
  readonly updater: EventPoster;
}

type AppliedTotals = Omit<AppliedUpload, 'at'>;
type Outcome = EarlierChange | 'unchanged' | 'unknown' | 'superseded';

const NO_OUTCOMES: Readonly<Record<Outcome, number>> = {
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  unknown: 0,
  superseded: 0,
};
/** The totals of an upload without records and deletions. */
export const NOTHING_APPLIED: AppliedTotals = { ...NO_OUTCOMES, replaced: 0 };

/** Number of batches posted at a time: the store receives the next events before it has committed these. */
const POSTINGS = 2;

/**
 * Posts an event for each id of an upload, with the number of the upload as its order.
 * @throws TidemarkError as `mergeUpload` and the store; `not-found` when the set was removed
 */
export async function applyUpload(
  { set, upload, files, after, ...artifact }: UploadOfSet,
  { thread, updater }: ApplyParts,
  { signal, report, log }: Pick<Attempt, 'signal' | 'report' | 'log'>,
): Promise<AppliedTotals> {
  const received = Math.floor(upload.received / 1000);
  const totals = { ...NO_OUTCOMES };
  let counts: ReplacedCounts = { total: 0, inFiles: [] };
  const post = async ({ read, records, earlier, problems, replaced = counts }: MergeStep) => {
    counts = replaced;
    for (const problem of problems) log(problem);
    const results = await updater.post(
      records.map((record) => ({ set: set.id, ...record, order: upload.number }) satisfies EncodedEvent),
    );
    failpoint('upload.posted');
    return { read, results, earlier };
  };
  let done = 0;
  const toApply = {
    set: partOf(set),
    ...artifact,
    files: entriesOfFiles(files),
    received,
    number: upload.number,
    after,
  };
  const steps = thread.merge(toApply, signal);
  for await (const { read, results, earlier } of mapInOrder(steps, POSTINGS, post)) {
    for (const [at, result] of results.entries()) totals[outcomeOf(result, earlier[at])] += 1;
    done += results.length;
    report({ done, total: read, text: 'records applied' });
  }
  const { total, inFiles } = counts;
  return { ...totals, replaced: total, ...(total > 0 && { replacedInFiles: inFiles }) };
}

/** The fields that the thread needs. */
function partOf({ id, urlPrefix, publishHashes, keepVersions }: ResourceSet): UploadToApply['set'] {
  return { id, urlPrefix, publishHashes, keepVersions };
}

/** @param earlier the change that an earlier attempt made, since the event then changes nothing */
function outcomeOf(result: CommitResult, earlier: EarlierChange | undefined): Outcome {
  if (result.status === 'applied') return result.kind;
  if (result.status === 'rejected') throw new TidemarkError('not-found', result.message);
  if (result.reason === 'superseded') return 'superseded';
  return earlier ?? (result.reason === 'not-there' ? 'unknown' : 'unchanged');
}
