import { type EventResultView, resultView } from '../../api/posting-view.ts';
import type { LineResult } from '../../ingest/ndjson-posting.ts';

/** Most events without effect that a response with totals lists. */
const MOST_NOT_APPLIED = 1000;

export type NumberedResult = { readonly number: number } & EventResultView;

type Status = 'rejected' | 'unchanged';

/** The events of a stream that were not applied: rejected ones first, because nothing else reports them. */
export class NotApplied {
  readonly #first: Readonly<Record<Status, NumberedResult[]>> = { rejected: [], unchanged: [] };
  readonly #total: Record<Status, number> = { rejected: 0, unchanged: 0 };

  add({ number, result }: LineResult): void {
    if (result.status === 'applied') return;
    this.#total[result.status] += 1;
    const first = this.#first[result.status];
    if (first.length < MOST_NOT_APPLIED) first.push({ number, ...resultView(result) });
  }

  view() {
    const { rejected } = this.#first;
    const unchanged = this.#first.unchanged.slice(0, MOST_NOT_APPLIED - rejected.length);
    const notListed = {
      rejected: this.#total.rejected - rejected.length,
      unchanged: this.#total.unchanged - unchanged.length,
    };
    const isCut = notListed.rejected + notListed.unchanged > 0;
    return { notApplied: [...rejected, ...unchanged], ...(isCut && { notListed }) };
  }
}
