import type { Datasets } from '../datasets.ts';
import type { ListedRequest, RequestFilter } from '../results/request-list.ts';

const PAGE = 1_000;

/** All requests, page after page, the newest first. */
export async function* allRequests(
  datasets: Pick<Datasets, 'list'>,
  filter: Omit<RequestFilter, 'after' | 'limit'>,
  signal?: AbortSignal,
): AsyncGenerator<ListedRequest> {
  let after: string | undefined;
  do {
    signal?.throwIfAborted();
    const { requests, next } = await datasets.list({ ...filter, after, limit: PAGE });
    yield* requests;
    after = next;
  } while (after !== undefined);
}
