import type { Totals } from '../../api/posting-view.ts';
import type { PostingResult } from '../../ingest/posting.ts';

export function noTotals(): Totals {
  return { applied: 0, unchanged: 0, rejected: 0 };
}

export function count(totals: Totals, { status }: PostingResult): void {
  totals[status] += 1;
}
