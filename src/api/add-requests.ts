import { may } from '../access/may.ts';
import type { Principal } from '../access/principal.ts';
import { TidemarkError, unlessNotFound } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { IngestRequest, RequestDocument } from '../datasets/request.ts';
import type { AskedRequests } from '../datasets/results/request-list.ts';
import { requestId } from '../datasets/results/requests.ts';

interface Parts {
  readonly datasets: Pick<Datasets, 'add' | 'byId'>;
  readonly sets: { list(): Promise<readonly ResourceSet[]> };
}

type Asked = AskedRequests & { readonly set: string };

/**
 * Adds requests for a set to which the sender may post.
 * @throws TidemarkError as `Datasets.add`; `conflict` for a URL of another set to which the sender may not post: a
 *   request would take it from there
 */
export async function addRequests(
  { datasets, sets }: Parts,
  sender: Principal,
  { requests, asked }: { readonly requests: readonly IngestRequest[]; readonly asked: Asked },
): Promise<readonly RequestDocument[]> {
  const documents = requests.map((request) => unlessNotFound(datasets.byId(requestId(request))));
  for (const before of await Promise.all(documents)) {
    if (before === undefined || before.set === asked.set) continue;
    const set = (await sets.list()).find(({ slug }) => slug === before.set);
    if (may(sender, 'post-changes', set)) continue;
    const message = 'this URL was requested for another set already: ask an administrator';
    throw new TidemarkError('conflict', message, { field: 'base_url' });
  }
  return datasets.add(requests, asked);
}
