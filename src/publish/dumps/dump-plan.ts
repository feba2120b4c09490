import { TidemarkError } from '../../core/errors.ts';
import { SOURCE_OPTIONS, traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { PackJob } from './pack-job.ts';

/** The contents of a dump of a set, at one state of the log. */
export interface DumpPlan {
  readonly set: ResourceSet;
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  /** In the order of their keys. */
  readonly pages: readonly PlannedPage[];
}

export type PlannedPage = Omit<PackJob, 'mostBytes' | 'compress'>;

/**
 * @param code of the error: `conflict` for a request, `invalid` for a job, which is not tried again
 * @throws TidemarkError for a set whose bytes are elsewhere, or are already packages
 */
export function requireDumpable(set: ResourceSet, code: 'conflict' | 'invalid'): void {
  const reason = whyNoDump(set);
  if (reason !== undefined) throw new TidemarkError(code, reason, { set: set.slug });
}

/** Why no dump of a set can be made; undefined when one can. */
export function whyNoDump({ slug, origin }: ResourceSet): string | undefined {
  const { source, reasonForNoDump } = traitsOf(origin);
  if (reasonForNoDump !== undefined) return `no dump is made of "${slug}": ${reasonForNoDump}`;
  if (source !== undefined) return undefined;
  return `the bytes of "${slug}" are elsewhere, so there is nothing to pack: a dump needs a set with ${SOURCE_OPTIONS}`;
}
