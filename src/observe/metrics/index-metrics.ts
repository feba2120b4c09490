import type { Counter } from 'prom-client';
import { CHANGE_KINDS } from '../../core/change.ts';
import { isRejection } from '../../ingest/posted-event.ts';
import type { Posting } from '../../ingest/posting.ts';
import type { Rejection } from '../../ingest/rejection.ts';
import { overriding } from '../../lib/overriding.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { Instruments } from './instrument.ts';
import { REJECTION_CODES } from './rejection-codes.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const UNCHANGED = ['same-state', 'not-there', 'repeated', 'superseded'] satisfies Extract<
  CommitResult,
  { status: 'unchanged' }
>['reason'][];
const EVENTS = [1, 2, 5, 10, 50, 100, 500, 1000, 2000, 5000, 10_000];

/** Metrics of posted events and their commits. */
export class IndexMetrics {
  readonly #events: Counter<'result' | 'reason'>;
  readonly #commits: Counter<'outcome'>;
  readonly #seconds;
  readonly #sizes;
  readonly #totals = { applied: 0, unchanged: 0, rejected: 0 };

  constructor(instruments: Instruments) {
    this.#events = instruments.counter({
      name: 'tidemark_events_total',
      help: 'Change events that were posted or found by scans. result: applied (a change was made), unchanged (it changed nothing) or rejected. reason: the kind of change, why it changed nothing, or the code of the rejection.',
      labels: ['result', 'reason'],
    });
    this.#commits = instruments.counter({
      name: 'tidemark_commits_total',
      help: 'Commits that this process sent to the store. outcome: done or failed. Failed commits were not acknowledged to any client.',
      labels: ['outcome'],
    });
    this.#seconds = instruments.histogram(
      {
        name: 'tidemark_commit_seconds',
        help: 'Seconds from sending a commit to the store until it is durable; on SQLite it is applied by then.',
      },
      SECONDS,
    );
    this.#sizes = instruments.histogram(
      { name: 'tidemark_commit_events', help: 'Events in one commit: how well small postings are gathered.' },
      EVENTS,
    );
    for (const outcome of ['done', 'failed']) this.#commits.inc({ outcome }, 0);
    // A rate needs an earlier value of the counter: the alert on rejected events needs it from the start.
    for (const reason of CHANGE_KINDS) this.#events.inc({ result: 'applied', reason }, 0);
    for (const reason of UNCHANGED) this.#events.inc({ result: 'unchanged', reason }, 0);
    for (const reason of [...REJECTION_CODES, 'other']) this.#events.inc({ result: 'rejected', reason }, 0);
  }

  /** Events since the start, by result. */
  get totals(): Readonly<Record<CommitResult['status'], number>> {
    return this.#totals;
  }

  /** Counts the events of a posting that are rejected before the store is asked. */
  aroundPosting(posting: Posting): Posting {
    return {
      ...posting,
      post: (events) => {
        for (const { event } of events) if (isRejection(event)) this.#countRejected(event);
        return posting.post(events);
      },
    };
  }

  /** Measures the commits of an index. */
  around(index: ResourceIndex): ResourceIndex {
    return overriding<ResourceIndex>(index, {
      commit: async (events) => {
        const began = performance.now();
        try {
          const results = await index.commit(events);
          if (events.length === 0) return results;
          this.#seconds.observe((performance.now() - began) / 1000);
          this.#sizes.observe(events.length);
          this.#commits.inc({ outcome: 'done' });
          this.#count(results);
          return results;
        } catch (error) {
          this.#commits.inc({ outcome: 'failed' });
          throw error;
        }
      },
    });
  }

  #countRejected({ code }: Rejection): void {
    this.#totals.rejected += 1;
    this.#events.inc({ result: 'rejected', reason: REJECTION_CODES.has(code) ? code : 'other' });
  }

  #count(results: readonly CommitResult[]): void {
    const counts = new Map<string, { readonly result: CommitResult; times: number }>();
    for (const result of results) {
      const known = counts.get(reasonOf(result));
      if (known === undefined) counts.set(reasonOf(result), { result, times: 1 });
      else known.times += 1;
    }
    for (const [reason, { result, times }] of counts) {
      this.#totals[result.status] += times;
      this.#events.inc({ result: result.status, reason }, times);
    }
  }
}

function reasonOf(result: CommitResult): string {
  switch (result.status) {
    case 'applied':
      return result.kind;
    case 'unchanged':
      return result.reason;
    case 'rejected':
      return result.code;
  }
}
