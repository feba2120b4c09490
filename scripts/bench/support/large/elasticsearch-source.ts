import { rmSync } from 'node:fs';
import { askElasticsearch } from '../../../../test/support/elasticsearch-indices.ts';
import type { BenchServer } from '../elasticsearch.ts';
import type { LargeSource } from './large-source.ts';

export async function elasticsearchSource(server: BenchServer, count: number): Promise<LargeSource> {
  const prefix = server.nextPrefix();
  const tidemark = await server.tidemark(prefix);
  return {
    tidemark,
    count,
    async storeBytes() {
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
