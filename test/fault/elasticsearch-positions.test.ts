import assert from 'node:assert/strict';
import { askJson } from '../support/ask.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { untilApplied } from '../support/fault-checks.ts';
import { type Asked, cutRequest } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';

const SOURCES = 300;
const LIMITS = { pageEntries: 1_000, windowChanges: 1_000 };

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');
const createsCommit = ({ path }: Asked) => /-log-\d+-open\/_create\//.test(path);

interface Posted {
  readonly results: readonly { readonly status: string; readonly reason?: string }[];
}

describe('The positions of many sources on Elasticsearch', () => {
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('are in the log only where they move, and known to a server that applies the commits of another one', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    const writer = await source.serveHere(proxy.url);
    const other = await source.serveHere();
    const post = async (url: string, ...events: readonly { readonly source: string; readonly position: number }[]) => {
      const changes = events.map(({ source: name, position }) => ({
        location: { value: `${name}-${position}`, type: 'rel_path' },
        change: 'created',
        source: name,
        position,
      }));
      const { status, body } = await askJson(`${url}/api/sets/${SLUG}/changes`, { changes });
      assert.equal(status, 200);
      return (body as Posted).results.map((result) => result.reason ?? result.status);
    };
    const all = Array.from({ length: SOURCES }, (_, at) => ({ source: `source-${at}`, position: 1 }));
    await post(writer.url, ...all);
    await untilApplied((await source.open()).index);

    // The writer cannot apply what it commits: the other server does.
    const cut = proxy.on(isBulk, cutRequest);
    await post(writer.url, { source: 'source-0', position: 2 });
    await post(writer.url, { source: 'constructor', position: 7 });
    const sizes = proxy.asked.filter(createsCommit).map(({ body }) => body.length);
    assert.ok(Math.max(...sizes.slice(-2)) < 2_000, `bytes of the commits: ${sizes}`);

    const moved = [
      { source: 'source-0', position: 2 },
      { source: 'constructor', position: 7 },
      { source: 'source-1', position: 1 },
    ];
    assert.deepEqual(await post(other.url, ...moved), ['repeated', 'repeated', 'repeated']);
    await untilApplied((await source.open()).index);
    cut.remove();
    const later = await source.serveHere();
    assert.deepEqual(new Set(await post(later.url, ...all, ...moved)), new Set(['repeated']));
  });
});
