import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { StreamDump } from './stored-dump.ts';

/** What a dump goes on from. */
export interface DumpChain {
  readonly last: StreamDump | undefined;
  /** Where the next delta begins; undefined when a full dump has to come first. */
  readonly after: Stamp | undefined;
  /** The boundary of the last full dump; 0 when there is none. */
  readonly full: Stamp;
}

/**
 * Of the dumps of a set, oldest first. A delta goes on from the delta before it, whatever full dumps are between them:
 * each of those was made after a delta up to the same boundary, unless nothing had changed. When the history of the set
 * has begun anew, clients may have dumps that this store does not know of: then a full dump comes first.
 */
export function chainOf(dumps: readonly StreamDump[], { id, epoch }: Pick<ResourceSet, 'id' | 'epoch'>): DumpChain {
  const own = dumps.filter((dump) => dump.set === id && dump.epoch === epoch);
  const last = dumps.at(-1);
  if (last === undefined || own.at(-1) !== last) return { last, after: undefined, full: 0 };
  const delta = own.findLast(({ kind }) => kind === 'delta');
  const full = own.findLast(({ kind }) => kind === 'full');
  return { last, after: delta?.until ?? own[0]!.until, full: full?.until ?? 0 };
}

/** What is to be taken off the list when so many full dumps are kept, and all deltas after the oldest of them. */
export function outdated<Dump extends Pick<StreamDump, 'kind' | 'number' | 'set' | 'epoch'>>(
  listed: readonly Dump[],
  keep: number,
): readonly Dump[] {
  const last = listed.at(-1);
  // What was made before the history began anew is followed by no delta.
  const current = listed.filter(({ set, epoch }) => set === last?.set && epoch === last.epoch);
  const full = current.filter(({ kind }) => kind === 'full');
  const oldest = full.at(-keep) ?? full[0];
  if (oldest === undefined) return [];
  return listed.filter(({ number }) => number < oldest.number);
}
