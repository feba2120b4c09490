import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { StoredIndex } from '../../store-gauge.ts';
import type { IndexNames } from '../index-names.ts';

/** Lists the indices of a store, by name, with their shards and sizes. */
export async function listIndices(cluster: Cluster, names: IndexNames): Promise<readonly StoredIndex[]> {
  const { prefix, ...aliases } = names;
  const index = Object.values(aliases).map((alias) => `${alias}-*`);
  const [all, { indices = {} }] = await Promise.all([
    cluster.ask((client) => client.indices.getSettings({ index, name: 'index.number_of_*' })),
    cluster.ask((client) =>
      client.indices.stats({
        index,
        metric: ['docs', 'store'],
        filter_path: 'indices.*.primaries.docs.count,indices.*.total.store.size_in_bytes',
      }),
    ),
  ]);
  const isOwn = (name: string) => new RegExp(`^${prefix}-[a-z]+-\\d{6}$`).test(name);
  const stored = Object.entries(all).filter(([name]) => isOwn(name));
  return stored
    .map(([name, { settings }]) => ({
      name,
      shards: Number(settings?.index?.number_of_shards),
      replicas: Number(settings?.index?.number_of_replicas),
      documents: indices[name]?.primaries?.docs?.count ?? 0,
      bytes: indices[name]?.total?.store?.size_in_bytes ?? 0,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
