import type { estypes } from '@elastic/elasticsearch';
import type { SetId } from '../../core/resource-set.ts';
import type { StoredSet } from '../../core/stored-set.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { Catalog } from '../catalog.ts';
import type { IndexNames } from './index-names.ts';

/** The default of `index.max_terms_count` is 65,536. */
const MOST_TERMS = 50_000;

type Filter = estypes.QueryDslQueryContainer;

interface AliasParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly catalog: Pick<Catalog, 'head' | 'list'>;
}

/**
 * Hides documents of removed sets from queries of the alias of all indices. The documents are not deleted: the log
 * needs them, and a commit that is applied late would recreate deleted ones.
 */
export async function hideRemovedSets({ cluster, names, catalog }: AliasParts): Promise<void> {
  for (;;) {
    const head = await catalog.head('set');
    const sets = await catalog.list<StoredSet>('set');
    const removed = sets.filter(({ body }) => body.removed !== undefined).map(({ body }) => body.id);
    if (removed.length > 0) await putFilter(cluster, names, withoutSets(removed));
    // Another process may have removed a set meanwhile, and set its filter before this one was set.
    if ((await catalog.head('set')) === head) return;
  }
}

/** The filter of the alias of all indices, for a new index; undefined while no set was removed. */
export async function filterOfAll(cluster: Cluster, names: IndexNames): Promise<Filter | undefined> {
  const [first] = Object.values(await aliasesOf(cluster, names));
  return first?.aliases[names.prefix]?.filter;
}

async function putFilter(cluster: Cluster, names: IndexNames, filter: Filter): Promise<void> {
  const indices = Object.keys(await aliasesOf(cluster, names));
  const actions = indices.map((index) => ({ add: { index, alias: names.prefix, filter } }));
  await cluster.ask((client) => client.indices.updateAliases({ actions }));
}

function aliasesOf(cluster: Cluster, { prefix }: IndexNames): Promise<estypes.IndicesGetAliasResponse> {
  return cluster.ask((client) => client.indices.getAlias({ name: prefix }));
}

function withoutSets(sets: readonly SetId[]): Filter {
  const clauses: Filter[] = [];
  for (let at = 0; at < sets.length; at += MOST_TERMS)
    clauses.push({ terms: { set: sets.slice(at, at + MOST_TERMS) } });
  return { bool: { must_not: clauses } };
}
