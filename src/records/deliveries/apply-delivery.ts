import type { EncodedEvent } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { AppliedUpload, ReadUpload } from '../arrivals/upload-state.ts';
import { reasonToDeleteNone } from '../errata/unread-records.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import type { EarlierChange, MergeStep, UploadToApply } from './merge-upload.ts';
import type { ProcessingThread } from './processing-thread.ts';
import { entriesOfFiles, type ReplacedCounts } from './replaced-records.ts';
import { deletesNone } from './unmentioned-records.ts';

interface DeliveryToApply {
  readonly delivery: Delivery;
  /** The set that the delivery names. */
  readonly set: ResourceSet;
  /** Its contents. */
  readonly read: ReadUpload;
  /** The last stamp committed before the first of its events. */
  readonly after: Stamp;
}

export interface ApplyParts {
  readonly thread: Pick<ProcessingThread, 'merge' | 'deleteUnmentioned'>;
  readonly updater: EventPoster;
}

type AppliedTotals = Omit<AppliedUpload, 'at'>;
type ApplyAttempt = Pick<Attempt, 'signal' | 'report' | 'log'>;
type Outcome = EarlierChange | 'unchanged' | 'unknown' | 'superseded';

const NO_OUTCOMES: Readonly<Record<Outcome, number>> = {
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  unknown: 0,
  superseded: 0,
};
/** Number of batches posted at a time: the store receives the next events before it has committed these. */
const POSTINGS = 2;

/**
 * Posts an event for each id of a delivery, with the number of the delivery as its order; after a full run, also the
 * deletion of each record that it does not mention.
 * @throws TidemarkError as `mergeUpload`, `unmentionedRecords` and the store; `not-found` when the set was removed
 */
export async function applyDelivery(
  { delivery, set, read, after }: DeliveryToApply,
  { thread, updater }: ApplyParts,
  attempt: ApplyAttempt,
): Promise<AppliedTotals> {
  const { number, received, unmentioned } = delivery;
  const { records, recordsSha256, files, errata } = read;
  const { signal, log } = attempt;
  const posting = new Posting({ set: set.id, number, updater, attempt });
  const toApply = { set: partOfSet(set), number, after };
  if (records !== undefined) {
    const artifact = { records, recordsSha256, files: entriesOfFiles(files), received: Math.floor(received / 1000) };
    await posting.postAll(thread.merge({ ...toApply, ...artifact }, signal), 'records applied');
  }
  const { totals } = posting;
  if (unmentioned === 'kept') return totals;
  const reason = reasonToDeleteNone(read);
  if (reason !== undefined) {
    log(deletesNone(reason));
    return totals;
  }
  const deleting = new Posting({ set: set.id, number, updater, attempt });
  await deleting.postAll(thread.deleteUnmentioned({ ...toApply, errata }, signal), 'records compared');
  if (deleting.deletesNone) return totals;
  // Of the deletions that existed, those that the delivery does not mention are of an earlier, killed attempt.
  const earlier = Math.max(0, deleting.deletions - totals.deleted);
  return { ...totals, unmentioned: deleting.totals.deleted + earlier };
}

interface PostingParts extends Pick<ApplyParts, 'updater'> {
  readonly set: SetId;
  readonly number: number;
  readonly attempt: ApplyAttempt;
}

/** Posts the events of steps, and counts what became of them. */
class Posting {
  readonly #parts: PostingParts;
  readonly #outcomes = { ...NO_OUTCOMES };
  #replaced: ReplacedCounts = { total: 0, inFiles: [] };
  #deletions = 0;
  #deletesNone = false;

  constructor(parts: PostingParts) {
    this.#parts = parts;
  }

  get totals(): AppliedTotals {
    const { total, inFiles } = this.#replaced;
    return { ...this.#outcomes, replaced: total, ...(total > 0 && { replacedInFiles: inFiles }) };
  }

  /** See MergeStep. */
  get deletions(): number {
    return this.#deletions;
  }

  get deletesNone(): boolean {
    return this.#deletesNone;
  }

  async postAll(steps: AsyncIterable<MergeStep>, text: string): Promise<void> {
    let done = 0;
    for await (const { read, results, earlier } of mapInOrder(steps, POSTINGS, (step) => this.#post(step))) {
      for (const [at, result] of results.entries()) this.#outcomes[outcomeOf(result, earlier[at])] += 1;
      done += results.length;
      this.#parts.attempt.report({ done, total: read, text });
    }
  }

  async #post(step: MergeStep) {
    const { read, records, earlier, problems, replaced = this.#replaced, deletions = 0, deletesNone = false } = step;
    const { set, number, updater, attempt } = this.#parts;
    this.#replaced = replaced;
    this.#deletions += deletions;
    this.#deletesNone ||= deletesNone;
    for (const problem of problems) attempt.log(problem);
    const results = await updater.post(
      records.map((record) => ({ set, ...record, order: number }) satisfies EncodedEvent),
    );
    failpoint('upload.posted');
    return { read, results, earlier };
  }
}

/** The fields of a set that the thread needs. */
export function partOfSet({ id, urlPrefix, publishHashes, keepVersions }: ResourceSet): UploadToApply['set'] {
  return { id, urlPrefix, publishHashes, keepVersions };
}

/** @param earlier the change that an earlier attempt made, since the event then changes nothing */
function outcomeOf(result: CommitResult, earlier: EarlierChange | undefined): Outcome {
  if (result.status === 'applied') return result.kind;
  if (result.status === 'rejected') throw new TidemarkError('not-found', result.message);
  if (result.reason === 'superseded') return 'superseded';
  return earlier ?? (result.reason === 'not-there' ? 'unknown' : 'unchanged');
}
