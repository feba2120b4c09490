import type { PostingResult } from '../updater/ndjson-posting.ts';
import type { Totals } from './schemas.ts';

export function noTotals(): Totals {
  return { applied: 0, unchanged: 0, rejected: 0 };
}

export function count(totals: Totals, { status }: PostingResult): void {
  totals[status] += 1;
}
