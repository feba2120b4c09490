import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { filterOfAll } from '../alias-of-all.ts';
import type { IndexNames } from '../index-names.ts';
import { createIndex, putTemplate, readMapping } from '../index-schema.ts';
import { shardsOf } from '../index-settings.ts';

/** Creates the index that the index of resources is copied into; unlike others, it has just this number of shards. */
export async function makeResourcesIndex(
  cluster: Cluster,
  names: IndexNames,
  { name, shards, alias }: { readonly name: string; readonly shards: number; readonly alias: string },
): Promise<void> {
  for (const kind of ['resources', 'changes'] as const) await putTemplate(cluster, names, kind, shards);
  await createIndex(cluster, name, { ...readMapping('resources', shards), aliases: { [alias]: {} } }, { shards });
}

/**
 * Creates another index of changes, unless another process has created it. It has as many shards as the index of
 * resources: a commit writes as many documents into the one as into the other.
 */
export async function makeChangesIndex(cluster: Cluster, names: IndexNames, number: number): Promise<void> {
  const [filter, [shards]] = await Promise.all([filterOfAll(cluster, names), shardsOf(cluster, names.resources)]);
  await createIndex(cluster, names.changesIndex(number), {
    ...readMapping('changes', shards),
    aliases: { [names.changes]: {}, [names.prefix]: filter === undefined ? {} : { filter } },
  });
}
