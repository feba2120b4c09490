import { REQUEST_OUTCOMES } from '../../lib/elasticsearch/request-outcome.ts';
import { type RequestCounts, requestObserver } from '../../stores/request-counts.ts';
import type { StoreObserver } from '../../stores/store-observer.ts';
import type { Instruments } from './instrument.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

/** Metrics of the store. On SQLite, which has no network requests and applies commits at once, they stay at 0. */
export function storeMetrics(instruments: Instruments, counts: RequestCounts): StoreObserver {
  const applied = instruments.histogram(
    {
      name: 'tidemark_apply_seconds',
      help: 'Seconds from a commit being logged on Elasticsearch until states, changes and ledgers are written. On SQLite that is part of the commit.',
    },
    SECONDS,
  );
  instruments.countedElsewhere(
    {
      name: 'tidemark_store_requests_total',
      help: 'Requests to Elasticsearch, those of the threads that render included, each with its retries. outcome: answered, refused, overloaded (429), timed_out or unreachable.',
      labels: ['outcome'],
    },
    (counter) => {
      for (const outcome of REQUEST_OUTCOMES) counter.inc({ outcome }, counts.requests(outcome));
    },
  );
  instruments.countedElsewhere(
    {
      name: 'tidemark_store_request_seconds_total',
      help: 'Seconds that requests to Elasticsearch took, all together. Divided by the number of requests it is their mean.',
    },
    (counter) => counter.inc(counts.seconds),
  );
  return { ...requestObserver(counts.shared), applied: (seconds) => applied.observe(seconds) };
}
