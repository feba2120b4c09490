import type { AppliedUpload, ReadUpload } from '../arrivals/upload-state.ts';
import type { HarvestOutcome } from './harvest-run.ts';

export const NOTHING_READ: HarvestOutcome = { records: 0, deletions: 0, errors: 0, warnings: 0, reasons: [] };

/** The numbers of a run by what became of its upload. */
export function outcomeOf({ totals, reasons = [] }: ReadUpload, applied: AppliedUpload | undefined): HarvestOutcome {
  const { records, deletions, errors, warnings = 0 } = totals;
  const read = { records, deletions, errors, warnings, reasons };
  if (applied === undefined) return read;
  const { created, updated, deleted, unchanged, unmentioned = 0 } = applied;
  return { ...read, created, updated, deleted: deleted + unmentioned, unchanged };
}
