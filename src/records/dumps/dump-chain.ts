import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { StreamDump } from './stored-stream-dump.ts';

/** The earlier dumps that the next dump follows. */
export interface DumpChain {
  /** All of them, also those that were removed, oldest first. */
  readonly dumps: readonly StreamDump[];
  /** The boundary at which the next delta begins; undefined when a full dump has to come first. */
  readonly after: Stamp | undefined;
  /** The boundary of the last full dump; 0 when there is none. */
  readonly full: Stamp;
}

/**
 * The chain of the dumps of a set, given oldest first. A delta follows the delta before it, even when full dumps are in
 * between: each of those was made after a delta up to the same boundary, unless nothing had changed. When the history
 * of the set was restarted, clients may have dumps that this store does not know: then a full dump comes first.
 */
export function chainOf(dumps: readonly StreamDump[], { id, epoch }: Pick<ResourceSet, 'id' | 'epoch'>): DumpChain {
  const own = dumps.filter((dump) => dump.set === id && dump.epoch === epoch);
  const last = dumps.at(-1);
  if (last === undefined || own.at(-1) !== last) return { dumps, after: undefined, full: 0 };
  const delta = own.findLast(({ kind }) => kind === 'delta');
  const full = own.findLast(({ kind }) => kind === 'full');
  return { dumps, after: delta?.until ?? own[0]!.until, full: full?.until ?? 0 };
}

/** The dumps to remove from the list when `keep` full dumps are kept, with all deltas after the oldest of them. */
export function outdated<Dump extends Pick<StreamDump, 'kind' | 'number' | 'set' | 'epoch'>>(
  listed: readonly Dump[],
  keep: number,
): readonly Dump[] {
  const last = listed.at(-1);
  // Dumps made before the history was restarted are not continued by any delta.
  const current = listed.filter(({ set, epoch }) => set === last?.set && epoch === last.epoch);
  const full = current.filter(({ kind }) => kind === 'full');
  const oldest = full.at(-keep) ?? full[0];
  if (oldest === undefined) return [];
  return listed.filter(({ number }) => number < oldest.number);
}
