import type { ChangeEvent } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { ResourceState } from '../core/resource.ts';
import type { Stamp } from '../core/stamp.ts';
import type { ServedSource } from './served-source.ts';
import type { SyncCounter, SyncSummary } from './sync-counter.ts';

/**
 * What a set is synced with: a folder, a bucket, the records of artifacts. `sync/sync.ts` posts what differs,
 * `sync/sync-loop.ts` does so whenever something has changed, `verify` checks it, and requests for bytes open its
 * resources. A source posts no change itself.
 *
 * What cannot be listed is unknown, not deleted: a source reports it to the counter as a problem, and no difference.
 */
export interface Source extends ServedSource {
  /**
   * Lists the source in the order of its keys beside the state of the set, and describes what is new or has another
   * fingerprint. Undefined when it is known that nothing differs.
   * @throws TidemarkError `unavailable` when the source is not there or is suddenly empty; the signal's reason when it
   *   is aborted
   */
  compare(options: CompareOptions): Promise<Comparison | undefined>;

  /**
   * Reads every byte of what the set mirrors now, and compares it with the state, whatever is remembered. It changes
   * nothing. The counter counts what was compared.
   * @throws TidemarkError as `compare`
   */
  verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncIterable<readonly Mismatch[]>;

  /**
   * Reports from now on what may have changed: a path to compare again, the empty path for everything. Each change is
   * reported at least once. After `onProblem` with an empty path nothing more is reported.
   * @throws TidemarkError `unavailable` when the source is not there
   */
  watch(onChange: (path: string) => void, onProblem: (problem: SourceProblem) => void): Promise<SourceWatch>;

  /** The longest time between two attempts while the source is in trouble, milliseconds: some cost much. */
  readonly longestRetryMs: number;
}

export interface CompareOptions {
  /** Paths to compare with all that is below them; everything without. A source without paths has none. */
  readonly under?: readonly string[] | undefined;
  /** Describes everything, whatever is remembered of it. */
  readonly rehash?: boolean | undefined;
  /** Records nothing, wherever: only says what would be done. */
  readonly dryRun?: boolean | undefined;
  /** A person asked for it: files that are all gone were most likely meant to be deleted. */
  readonly attended?: boolean | undefined;
  /** Lets an artifact without records delete all resources. */
  readonly acceptsEmpty?: boolean | undefined;
  /** Goes back to the newest artifact that exists, when the one that the set mirrors is newer, and was deleted. */
  readonly acceptsOlder?: boolean | undefined;
  readonly counter: SyncCounter;
  readonly signal?: AbortSignal | undefined;
}

/** A comparison that has begun. */
export interface Comparison {
  readonly steps: AsyncIterable<SyncStep>;
  /** What each event carries: the store drops those of a comparison that another process has overtaken. */
  readonly position?: Required<Pick<ChangeEvent, 'source' | 'position' | 'sharesPosition'>>;
  /** Called once, when all is committed: with the summary; without one when it failed or was overtaken. */
  end?(summary: SyncSummary | undefined): Promise<void> | void;
  /**
   * What is compared after its end, with the same counter; undefined when that was all. A source that syncs in parts
   * has one part in memory.
   */
  next?(): Promise<Comparison | undefined>;
}

export interface SyncStep {
  readonly differences: readonly Difference[];
  /** Where versions are kept: their bytes are durable. Nothing is posted before; others are described meanwhile. */
  readonly stored?: Promise<void> | undefined;
  /**
   * Remembers what was described. Called when the differences are committed, never before: being ahead would lose a
   * change.
   */
  readonly onCommitted?: () => void;
}

export interface Difference {
  readonly key: ResourceKey;
  /** As the source has it; undefined when it has no such resource. */
  readonly state: ResourceState | undefined;
  /** As the store has it. */
  readonly known: ResourceState | undefined;
  /** @see ChangeEvent.basedOn */
  readonly basedOn?: Stamp | undefined;
}

/** What is wrong with a state, found by `verify`. */
export interface Mismatch {
  readonly kind: 'missing' | 'extra' | 'differing' | 'unreadable';
  readonly key: ResourceKey;
  readonly message: string;
}

/** Something that could not be listed or described; it is no resource, and deletes none. */
export interface SourceProblem {
  readonly path: string;
  readonly problem: string;
}

export interface SourceWatch {
  close(): Promise<void>;
}
