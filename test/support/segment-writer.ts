import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import { armFailpoint } from '../../src/lib/failpoint.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import { upsert } from './builders.ts';
import { SLUG } from './fault-source.ts';

/** A program that commits to a log with short segments, and prints the number of each commit that is acknowledged. */
const { TIDEMARK_STORE = '', TIDEMARK_INDEX_PREFIX = '', TIDEMARK_FAILPOINT } = process.env;
const [rounds, commits, measureAfter] = process.argv.slice(2).map(Number);
const location = { kind: 'elasticsearch', ...readNodes(TIDEMARK_STORE), prefix: TIDEMARK_INDEX_PREFIX } as const;
const { index, catalog, close } = await openElasticsearch(location, {
  segmentLimits: { commits: commits!, measureAfter: measureAfter! },
});
const { id } = await new SetRegistry(catalog, index).bySlug(SLUG);
armFailpoint(TIDEMARK_FAILPOINT);
for (let round = 1; round <= rounds!; round++) {
  await index.commit([upsert(id, `k${round}`)]);
  console.log(`acknowledged ${round}.`);
}
await close();
