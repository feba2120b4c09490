import type { ResourceSet } from '../../core/resource-set.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { CountedDrop, ReadUpload } from '../arrivals/upload-state.ts';
import { type DropLimits, dropOf, judgeDrop } from '../drop.ts';
import { reasonToDeleteNone } from '../errata/unread-records.ts';
import { partOfSet } from './apply-delivery.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import type { ProcessingThread } from './processing-thread.ts';

interface DeliveryToJudge {
  readonly delivery: Delivery;
  /** The set that the delivery names. */
  readonly set: ResourceSet;
  /** Its contents. */
  readonly read: ReadUpload;
}

interface JudgeParts {
  readonly thread: Pick<ProcessingThread, 'countUnmentioned'>;
  readonly dropLimits: DropLimits;
}

/** Why a full run fails whatever is accepted: it would remove all records. Undefined when it does not. */
export function reasonForNoRecords(
  { unmentioned }: Pick<Delivery, 'unmentioned'>,
  { records, deletions }: ReadUpload['totals'],
): string | undefined {
  if (unmentioned === 'kept' || records + deletions > 0) return undefined;
  return '0 records were read, and a full run without records removes nothing';
}

/**
 * Counts the records that a full run would delete, before its first event is committed, and judges whether it may.
 * Undefined for another delivery, and for a full run that deletes nothing since it is not known what it saw.
 * @throws TidemarkError as `countUnmentioned`
 */
export async function judgeFullRun(
  { delivery, set, read }: DeliveryToJudge,
  { thread, dropLimits }: JudgeParts,
  { signal, report, log }: Pick<Attempt, 'signal' | 'report' | 'log'>,
): Promise<CountedDrop | undefined> {
  const { records, recordsSha256, errata } = read;
  if (delivery.unmentioned === 'kept' || records === undefined || reasonToDeleteNone(read) !== undefined) return;
  const received = Math.floor(delivery.received / 1000);
  const toCount = { set: partOfSet(set), number: delivery.number, received, records, recordsSha256, errata };
  let counted: Omit<CountedDrop, 'verdict'> | undefined;
  for await (const step of thread.countUnmentioned(toCount, signal)) {
    counted = step.counted;
    report({ done: step.read, text: 'records counted' });
  }
  if (counted === undefined) return;
  const { existing, unmentioned } = counted;
  const verdict = judgeDrop(dropOf(existing, existing - unmentioned), dropLimits);
  if (verdict !== 'fine') log(`it deletes ${ofExisting(counted)}, which it did not see`);
  return { ...counted, verdict: verdict === 'stop' && delivery.acceptsDrop ? 'warn' : verdict };
}

/**
 * Why a full run fails that may not delete so many records: a sentence without a full stop.
 * @param isHarvest otherwise, it is a full upload of a user
 */
export function reasonForStop(drop: CountedDrop, { stop }: DropLimits, isHarvest: boolean): string {
  const limit = `more than ${Math.round(stop * 1000) / 10}% of them (--drop-limit)`;
  const advice = isHarvest
    ? 'run it again with --force'
    : 'send it again with --accept-drop (accept_drop=yes, or the box in the form)';
  const verb = isHarvest ? 'see' : 'mention';
  return `it did not ${verb} ${ofExisting(drop)}, ${limit}, so nothing was changed: if that is right, ${advice}`;
}

function ofExisting({ existing, unmentioned }: Pick<CountedDrop, 'existing' | 'unmentioned'>): string {
  return `${formatCount(unmentioned)} of ${formatCount(existing)} records`;
}
