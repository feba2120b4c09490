import { type ChangeEvent, type ChangeKind, decide } from '../../core/change.ts';
import { weightInSet } from '../../core/entry-weight.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { encodeState, type ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { CompareOptions, Comparison, Difference, Source, SyncStep } from '../source.ts';
import { type CounterOptions, SyncCounter, type SyncSummary } from '../sync-counter.ts';

/** The set, source and stores of a sync. */
export interface Synced {
  readonly set: ResourceSet;
  readonly source: Source;
  readonly updater: SyncPoster;
}

/** Posts the differences of a sync. */
export interface SyncPoster extends EventPoster {
  /** Called before anything is compared. */
  begin?(): Promise<void>;
  /** Called after all were posted: recomputes the links that depend on several resources. */
  relinkAll?(signal?: AbortSignal): Promise<void>;
}

export interface SyncOptions extends Synced, CounterOptions, Omit<CompareOptions, 'counter'> {
  /** Called for every change that was made, or that a dry run would make. */
  readonly onChange?: ((kind: ChangeKind, key: ResourceKey) => void) | undefined;
}

/**
 * Number of steps that are posted at a time: the store receives the next step before it has committed the current one.
 * More steps take memory, and are no faster.
 */
const POSTINGS = 2;

/**
 * Compares a source with the state of its set, and posts the differences. Any number of processes may sync the same
 * records; files are synced by the process that has the grant of the set, see scanners/set-grant.ts. Undefined when the
 * set was already known to be in sync.
 * @throws TidemarkError as `Source.compare`: nothing is deleted then; the signal's reason when it is aborted, after the
 *   changes being posted are committed
 */
export async function sync(options: SyncOptions): Promise<SyncSummary | undefined> {
  for (;;) {
    options.signal?.throwIfAborted();
    if (options.dryRun !== true) await options.updater.begin?.();
    const counter = new SyncCounter(options);
    let comparison = await options.source.compare({ ...options, counter });
    if (comparison === undefined) return undefined;
    let summary: SyncSummary | undefined;
    do {
      summary = await postAll(comparison, counter, options);
      comparison = summary && (await comparison.next?.());
    } while (comparison !== undefined);
    // Another process is ahead: the next comparison starts from its state.
    if (summary !== undefined) return summary;
  }
}

/** Returns undefined when another process has overtaken this comparison. */
async function postAll(
  comparison: Comparison,
  counter: SyncCounter,
  options: SyncOptions,
): Promise<SyncSummary | undefined> {
  let summary: SyncSummary | undefined;
  try {
    const isCurrent = await postSteps(comparison, counter, options);
    const isWhole = options.under === undefined || options.under.includes('');
    if (isCurrent && isWhole && !options.dryRun) await options.updater.relinkAll?.(options.signal);
    // Only now: a source that has recorded its end is not compared again, so links that failed would stay as they are.
    if (isCurrent) summary = counter.summary();
  } finally {
    await comparison.end?.(summary);
  }
  return summary;
}

/** Returns false when another process has overtaken this comparison: the store took none of the rest. */
async function postSteps(comparison: Comparison, counter: SyncCounter, options: SyncOptions): Promise<boolean> {
  const post = (step: SyncStep) => postStep(step, { comparison, counter, options });
  for await (const isCurrent of mapInOrder(comparison.steps, POSTINGS, post)) {
    if (!isCurrent) return false;
  }
  return true;
}

interface PostParts {
  readonly comparison: Comparison;
  readonly counter: SyncCounter;
  readonly options: SyncOptions;
}

async function postStep({ differences, stored, onCommitted }: SyncStep, parts: PostParts): Promise<boolean> {
  const { dryRun, updater } = parts.options;
  if (dryRun) {
    for (const difference of differences) count(difference, wouldBe(difference, parts), parts);
    return true;
  }
  await stored;
  if (differences.length > 0) {
    const results = await updater.post(differences.map((difference) => eventOf(difference, parts)));
    for (const [at, result] of results.entries()) {
      if (isOvertaken(result)) return false;
      count(differences[at]!, kindOf(result), parts);
    }
    failpoint('sync.posted');
  }
  onCommitted?.();
  return true;
}

function eventOf(
  { key, state, basedOn }: Difference,
  { options: { set }, comparison: { position } }: PostParts,
): ChangeEvent {
  return {
    set: set.id,
    key,
    state,
    weight: weightInSet(set, key, state),
    ...(basedOn !== undefined && { basedOn }),
    ...position,
  };
}

function count({ key, state }: Difference, kind: ChangeKind | undefined, { counter, options }: PostParts): void {
  if (kind !== undefined) {
    counter.changed(kind);
    options.onChange?.(kind, key);
  } else if (state !== undefined) counter.unchanged();
}

function wouldBe({ state, known }: Difference, { options: { set } }: PostParts): ChangeKind | undefined {
  // Link rules add the links when the state is posted, so they are not compared.
  const { links: _, ...bare } = known ?? {};
  return decide(encoded(known && set.linkRules !== undefined ? bare : known), encoded(state));
}

function encoded(state: ResourceState | undefined) {
  return state && encodeState(state);
}

function isOvertaken(result: CommitResult): boolean {
  return result.status === 'unchanged' && result.reason === 'repeated';
}

function kindOf(result: CommitResult): ChangeKind | undefined {
  if (result.status === 'rejected') throw new TidemarkError('not-found', result.message);
  return result.status === 'applied' ? result.kind : undefined;
}
