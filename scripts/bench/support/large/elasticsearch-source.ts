import { rmSync } from 'node:fs';
import { SETTING_NAMES } from '../../../../src/config/settings.ts';
import { askElasticsearch } from '../../../../test/support/elasticsearch-indices.ts';
import type { BenchServer } from '../elasticsearch.ts';
import type { LargeSource } from './large-source.ts';

/** Four of the index of resources and of each index of changes; one where the program has no such setting. */
const SHARDS = SETTING_NAMES.some((name: string) => name === 'storeShards') ? { TIDEMARK_STORE_SHARDS: '4' } : {};

export async function elasticsearchSource(server: BenchServer, count: number): Promise<LargeSource> {
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix, SHARDS);
  return {
    tidemark,
    count,
    async storeBytes() {
      await askElasticsearch(server.url, 'POST', `${prefix}*/_flush`);
      const stats = (await askElasticsearch(server.url, 'GET', `${prefix}*/_stats/store`)) as {
        readonly _all: { readonly primaries: { readonly store: { readonly size_in_bytes: number } } };
      };
      return stats._all.primaries.store.size_in_bytes;
    },
    empty: () => elasticsearchSource(server, count),
    async remove() {
      await server.remove(prefix);
      rmSync(tidemark.dataFolder, { recursive: true, force: true });
    },
  };
}
