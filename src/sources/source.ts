import type { ChangeEvent } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { ResourceState } from '../core/resource.ts';
import type { Stamp } from '../core/stamp.ts';
import type { ServedSource } from './served-source.ts';
import type { SyncCounter, SyncSummary } from './sync-counter.ts';

/**
 * What a set is synced with: a folder, a bucket, the records of artifacts. `sync/sync.ts` posts the differences,
 * `sync/sync-loop.ts` does so after each change, `verify` checks the set, and requests for bytes open its resources. A
 * source itself posts no change. test/contract/source.ts tests these promises.
 *
 * A source is opened for each request or sync, in the thread of HTTP: opening reads nothing, and whatever would take
 * that thread more than 50 ms runs in another one.
 *
 * Something that cannot be listed is unknown, not deleted: a source reports it to the counter as a problem, and yields
 * no difference for it.
 */
export interface Source extends ServedSource {
  /**
   * Lists the source beside the state of the set, and describes what is new or has another fingerprint: in any order,
   * and perhaps also a resource that turns out to be the same. Counts what it finds; `sync` counts what was posted.
   * Undefined when it is known that nothing differs.
   *
   * Comparisons may run at the same time, in several processes. A source of which an older list could win excludes
   * that: by a mutex, which `end` releases, or by positions.
   * @throws TidemarkError `unavailable` when the source does not exist, or when it is suddenly empty by a fault; the
   *   signal's reason when it is aborted
   */
  compare(options: CompareOptions): Promise<Comparison | undefined>;

  /**
   * Reads every byte that the set mirrors now, and compares it with the state, whatever is remembered. Changes nothing.
   * The counter counts what was compared.
   * @throws TidemarkError as `compare`; `invalid` when it is not known what the set mirrors, before the first sync
   */
  verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncIterable<readonly Mismatch[]>;

  /**
   * Reports from now on what may have changed: a path to compare again, or the empty path for everything. Each change
   * is reported at least once. After `onProblem` with an empty path nothing more is reported.
   * @throws TidemarkError `unavailable` when the source does not exist, and cannot be watched before it does
   */
  watch(onChange: (path: string) => void, onProblem: (problem: SourceProblem) => void): Promise<SourceWatch>;

  /**
   * The longest time between two attempts while the source is in trouble, in milliseconds: some attempts are expensive.
   */
  readonly longestRetryMs: number;
}

export interface CompareOptions {
  /** Paths to compare, with everything below them; without this, everything. Absent for a source without paths. */
  readonly under?: readonly string[] | undefined;
  /** Hashes every file again, whatever is remembered. */
  readonly rehash?: boolean | undefined;
  /** Only counts and reports the changes that a sync would make; stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** A user requested the comparison: if all files are missing, they were most likely deleted on purpose. */
  readonly attended?: boolean | undefined;
  /** Lets an artifact without records delete all resources. */
  readonly acceptsEmpty?: boolean | undefined;
  /** Goes back to the newest existing artifact, when the set mirrors a newer one that was deleted. */
  readonly acceptsOlder?: boolean | undefined;
  readonly counter: SyncCounter;
  readonly signal?: AbortSignal | undefined;
}

/** A running comparison. */
export interface Comparison {
  readonly steps: AsyncIterable<SyncStep>;
  /** The position of each event: the store drops the events of a comparison that another process has overtaken. */
  readonly position?: Required<Pick<ChangeEvent, 'source' | 'position' | 'sharesPosition'>>;
  /** Called once, when everything is committed: with the summary, or without one when it failed or was overtaken. */
  end?(summary: SyncSummary | undefined): Promise<void> | void;
  /**
   * The next comparison, with the same counter; undefined after the last. A source that syncs in parts has only one
   * part in memory.
   */
  next?(): Promise<Comparison | undefined>;
}

export interface SyncStep {
  readonly differences: readonly Difference[];
  /**
   * Resolves when the bytes are durable, where versions are kept. The step is posted only then; the next files are
   * described meanwhile.
   */
  readonly stored?: Promise<void> | undefined;
  /**
   * Remembers the described files. Called after the differences are committed, never before: a memory that is ahead of
   * the store would lose a change.
   */
  readonly onCommitted?: () => void;
}

export interface Difference {
  readonly key: ResourceKey;
  /** The state in the source; undefined when it has no such resource. */
  readonly state: ResourceState | undefined;
  /** The state in the store. */
  readonly known: ResourceState | undefined;
  /** @see ChangeEvent.basedOn */
  readonly basedOn?: Stamp | undefined;
}

/** A difference between the source and a state, found by `verify`. */
export interface Mismatch {
  readonly kind: 'missing' | 'extra' | 'differing' | 'unreadable';
  readonly key: ResourceKey;
  readonly message: string;
}

/** Something that could not be listed or described. It is not a resource, and deletes none. */
export interface SourceProblem {
  readonly path: string;
  readonly problem: string;
}

export interface SourceWatch {
  close(): Promise<void>;
}
