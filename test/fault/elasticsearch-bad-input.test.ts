import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openStores } from '../../src/stores/open-stores.ts';
import { ask, JSON_BODY } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { BASE_URL } from '../support/fault-source.ts';
import { isRefused } from '../support/is-refused.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

const KINDS = ['log', 'resources', 'changes', 'ledgers', 'catalog', 'jobs'] as const;
/** Another program's. */
const FOREIGN = { mappings: { properties: { soup: { type: 'keyword' } } } };
const ADD_MAPS = ['sets', 'add', 'maps', '--url-prefix', 'https://example.org/'];

describe('an Elasticsearch that cannot be used', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  beforeEach(async () => {
    source = await ElasticsearchSource.makeEmpty(elasticsearch.url);
  });
  afterEach(closeElasticsearchSources);

  it('gets no indices from a command that needs a store, such as after a mistyped prefix', async () => {
    const needing = ['status', 'sets list', 'verify maps', 'scan maps', 'dumps build maps', 'migrate', 'work'];
    for (const command of needing) {
      const { exitCode, stdout, stderr } = await source.run(command.split(' '));
      assert.match(
        stderr,
        new RegExp(
          `^tidemark: there is no store \\S+ \\(indices ${source.prefix}-\\*\\): name its indices with TIDEMARK`,
        ),
        command,
      );
      assert.deepEqual([exitCode, stdout], [2, ''], command);
    }
    assert.deepEqual(await indices(), {});

    assert.equal((await source.run(ADD_MAPS)).exitCode, 0);
    assert.equal((await source.run(['sets', 'list'])).exitCode, 0);
  });

  for (const kind of KINDS) {
    it(`is refused and left as it is when the index ${kind} is another program's`, async () => {
      const alias = `${source.prefix}-${kind}`;
      await put(alias, FOREIGN);
      await isRefused(
        source,
        new RegExp(`there is an index ${alias} that this program has not made; choose other names`),
      );
      await remove(alias);

      await put(`${alias}-000001`, FOREIGN);
      await isRefused(source, new RegExp(`index ${alias}-000001 that the alias ${alias} does not point to`), 'migrate');
      await remove(`${alias}-000001`);

      await put(`${source.prefix}-soup`, { ...FOREIGN, aliases: { [alias]: {} } });
      await isRefused(
        source,
        new RegExp(`the index ${source.prefix}-soup has a mapping that this program has not made`),
      );
    });
  }

  it('is refused when an index has the name of the alias of all', async () => {
    await put(source.prefix, FOREIGN);
    await isRefused(source, new RegExp(`there is an index ${source.prefix}, where an alias`));
  });

  it('is refused and left as it is when the alias of all points to an index of another program', async () => {
    await put(`${source.prefix}-soup`, { ...FOREIGN, aliases: { [source.prefix]: {} } });
    await isRefused(source, new RegExp(`alias ${source.prefix} points to the index ${source.prefix}-soup, which this`));
  });

  it('is refused when an alias points to two indices', async () => {
    for (const number of [1, 2]) await put(`${source.prefix}-log-00000${number}`, ours('log', 1));
    await isRefused(
      source,
      /the alias \S+-log points to \S+-log-000001 and \S+-log-000002: it must point to one index/,
    );
  });

  it('is refused when an index has a newer schema', async () => {
    await put(`${source.prefix}-ledgers-000001`, ours('ledgers', 99));
    await isRefused(source, /-ledgers-000001 has schema 99, and this version knows 7: use a newer one/);
  });

  it('hides the sets that were removed before, when it is migrated', async () => {
    const { index, sets, close } = await source.open();
    await sets.useBaseUrl(BASE_URL, false);
    for (const slug of ['maps', 'texts']) {
      const { id } = await sets.add({ slug });
      await index.commit([upsert(id, 'a')]);
      await index.summary(id);
    }
    await sets.remove('maps');
    await close();
    for (const kind of KINDS) {
      const name = `${source.prefix}-${kind}-000001`;
      await put(`${name}/_mapping`, { _meta: { schema_version: 2 } });
    }
    for (const kind of ['resources', 'changes'])
      await put(`${source.prefix}-${kind}-000001/_alias/${source.prefix}`, {});
    assert.equal(await count(source.prefix, { match_all: {} }), 4);

    assert.match((await source.run(['migrate'])).stdout, /from schema 2 to 7/);
    assert.equal(await count(source.prefix, { match_all: {} }), 2);
    assert.equal(await count(source.prefix, { term: { resource_set: 'maps' } }), 0);
  });

  it('is refused when its indices have the schema before, and used when they are migrated', async () => {
    for (const kind of KINDS) await put(`${source.prefix}-${kind}-000001`, ours(kind, 1));
    await put(`${source.prefix}-resources/_doc/1`, { hash: ['md5:0123'], location: { value: 'x', type: 'url' } });
    const refused = await source.run(['sets', 'list']);
    assert.match(refused.stderr, /have schema 1, this program needs 7: stop all .*"tidemark migrate"/);
    assert.equal(refused.exitCode, 3);
    assert.match((await source.run(['migrate'])).stdout, /from schema 1 to 7/);
    assert.match((await source.run(['migrate'])).stdout, /has schema 7 already/);
    for (const term of [{ hash: 'md5:0123' }, { 'location.type': 'url' }]) {
      assert.equal(await count(source.prefix, { term }), 1, JSON.stringify(term));
    }

    const { index, sets, close } = await source.open();
    await sets.useBaseUrl(BASE_URL, false);
    const { id } = await sets.add({ slug: 'maps', urlPrefix: 'http://example.org/' });
    const record = { artifact: 'cdl/harvest/x.avro', offset: 100, length: 50, position: 3 };
    await index.commit([upsert(id, 'a', { length: 1, record })]);
    await index.watermark();
    assert.deepEqual((await index.lookup(id, ['/a']))[0]?.state, { length: 1, record });
    await close();
  });

  it('gets the index of jobs when it is migrated from schema 4', async () => {
    for (const kind of KINDS.filter((kind) => kind !== 'jobs')) {
      await put(`${source.prefix}-${kind}-000001`, ours(kind, 4));
    }
    const refused = await source.run(['sets', 'list']);
    assert.match(refused.stderr, /have schema 4, this program needs 7: stop all .*"tidemark migrate"/);
    assert.match((await source.run(['migrate'])).stdout, /from schema 4 to 7/);

    const { jobs, close } = await openStores(source.location());
    assert.equal(await jobs.add('build', 'a', {}), true);
    await close();
  });

  it('keeps how its fields are searched when it is migrated from schema 3, and takes orders then', async () => {
    // One that was made with schema 3, and one that was taken there from schema 2.
    const migrated = { resources: 2, changes: 3 };
    for (const kind of KINDS) {
      const made = kind === 'resources' ? migrated.resources : migrated.changes;
      await put(`${source.prefix}-${kind}-000001`, ours(kind, made));
    }
    const runtime = { hash: { type: 'keyword' }, 'location.type': { type: 'keyword' } };
    await put(`${source.prefix}-resources-000001/_mapping`, { _meta: { schema_version: 3 }, runtime });
    assert.match((await source.run(['migrate'])).stdout, /from schema 3 to 7/);

    const { index, sets, close } = await source.open();
    await sets.useBaseUrl(BASE_URL, false);
    const { id } = await sets.add({ slug: 'maps', urlPrefix: 'http://example.org/' });
    const event = upsert(id, 'a', { hashes: { 'sha-1': '0123' } });
    await index.commit([{ ...event, order: 2 }]);
    const results = await index.commit([
      { ...event, order: 4 },
      { ...upsert(id, 'a'), order: 3 },
    ]);
    assert.deepEqual(
      results.map((result) => result.status === 'unchanged' && result.reason),
      ['same-state', 'superseded'],
    );
    await index.watermark();
    assert.equal((await index.lookup(id, ['/a']))[0]?.order, 4);
    await close();
    for (const term of [{ hash: 'sha-1:0123' }, { 'location.type': 'rel_path' }]) {
      assert.equal(await count(source.prefix, { term }), 2, JSON.stringify(term));
    }
    const { text } = await ask(`${elasticsearch.url}/${source.prefix}-changes/_mapping`, {});
    assert.doesNotMatch(text, /runtime/);
  });

  it('is refused when it is of version 7, as it would say', async () => {
    const proxy = await source.proxy();
    proxy.on(
      ({ path }) => path.startsWith('/_nodes'),
      async (execute) => {
        const answer = await execute();
        return { ...answer, body: Buffer.from('{"nodes":{"n":{"version":"7.17.29"}}}') };
      },
    );
    await isRefused(source, /has version 7\.17\.29: this program works with 8 and 9/, { storeUrl: proxy.url });
  });

  it('is refused when it is OpenSearch, which does not say that it is Elasticsearch', async () => {
    const proxy = await source.proxy();
    proxy.on(
      () => true,
      async (execute) => {
        const { status } = await execute();
        const headers = { 'content-type': 'application/json; charset=UTF-8' };
        return { status, headers, body: Buffer.from('{"nodes":{"n":{"version":"2.19.1"}}}') };
      },
    );
    await isRefused(source, /is not Elasticsearch \(perhaps OpenSearch.*use Elasticsearch 8 or 9/, {
      storeUrl: proxy.url,
    });
  });

  it('is refused when it is another server, whatever it answers', async () => {
    const proxy = await source.proxy();
    for (const [status, type, body] of [
      [400, 'application/xml', '<?xml version="1.0"?><Error><Code>InvalidRequest</Code></Error>'],
      [403, 'text/html', '<h1>Forbidden</h1>'],
      [404, 'application/json', '{"error":{"code":"not-found","message":"there is no such page"}}'],
      [503, 'text/plain', ''],
    ] as const) {
      const answer = { status, headers: { 'content-type': type }, body: Buffer.from(body) };
      const rule = proxy.on(
        () => true,
        async () => answer,
      );
      const said = new RegExp(
        `^tidemark: \\S+ answered ${status}, and not as Elasticsearch does: .* TIDEMARK_STORE\n$`,
      );
      await isRefused(source, said, { storeUrl: proxy.url });
      rule.remove();
    }
  });

  it('is refused when it is to speak TLS, and does not', async () => {
    const storeUrl = source.url.replace('http:', 'https:');
    await isRefused(source, /cannot be reached: it does not speak TLS: .* write http:\/\/ in place of/, { storeUrl });
  });

  it('is refused when its certificate does not verify, and used when its authority is named', async () => {
    const proxy = await startTlsProxy(source.url, source.folder);
    source.onClose(() => proxy.close());
    await isRefused(source, /its certificate does not verify: name its authority in TIDEMARK_STORE_CA/, {
      storeUrl: proxy.url,
    });
    const environment = { TIDEMARK_STORE_CA: proxy.caFile };
    const { exitCode, stderr } = await source.run(ADD_MAPS, { storeUrl: proxy.url, environment });
    assert.equal(exitCode, 0, stderr);
  });

  for (const kind of ['log', 'resources', 'ledgers', 'catalog'] as const) {
    it(`is not written to when it has lost the index ${kind} while it is in use, and nothing is made in its place`, async () => {
      const { index, sets, close } = await source.open();
      await sets.useBaseUrl(BASE_URL, false);
      const { id } = await sets.add({ slug: 'maps', urlPrefix: 'http://example.org/' });
      await index.commit([upsert(id, 'a')]);
      await index.watermark();
      const lost = `${source.prefix}-${kind}-000001`;
      await remove(lost);
      const use = async () => {
        await index.commit([upsert(id, 'b')]);
        await index.watermark();
        await sets.add({ slug: 'more', urlPrefix: 'http://example.org/' });
      };
      await assert.rejects(use, { code: 'unavailable' });
      assert.equal(Object.keys(await indices()).length, KINDS.length - 1);
      await close();
    });
  }

  it('is reported when it does not answer', async () => {
    await isRefused(source, /Elasticsearch at http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/, {
      storeUrl: 'http://127.0.0.1:1',
    });
  });

  async function put(index: string, body: object): Promise<void> {
    const { status, text } = await ask(`${elasticsearch.url}/${index}`, {
      method: 'PUT',
      headers: JSON_BODY,
      body: JSON.stringify(body),
    });
    assert.ok(status < 300, text);
  }

  async function count(index: string, query: object): Promise<number> {
    const search = { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ query }) };
    await ask(`${elasticsearch.url}/${index}/_refresh`, { method: 'POST' });
    return JSON.parse((await ask(`${elasticsearch.url}/${index}/_count`, search)).text).count;
  }

  const indices = () => askElasticsearch(elasticsearch.url, 'GET', `${source.prefix}*/_alias`);
  const remove = (index: string) => askElasticsearch(elasticsearch.url, 'DELETE', index);

  /** An index under its alias, as this program makes it, but for the version. */
  function ours(kind: string, version: number): object {
    const { mappings } = JSON.parse(readFileSync(new URL(`../../mappings/${kind}.json`, import.meta.url), 'utf8'));
    // Came with schema 2.
    if (version === 1) delete mappings.properties.record;
    // Came with schema 4.
    if (version < 4) for (const field of ['event_order', 'raised']) delete mappings.properties[field];
    const isShared = kind === 'resources' || kind === 'changes';
    // Since schema 3, they are searchable.
    const hidden = { type: 'keyword', index: false, doc_values: false };
    if (isShared && version < 3) {
      mappings.properties.hash = hidden;
      mappings.properties.location.properties.type = hidden;
    }
    return {
      mappings: { ...mappings, _meta: { schema_version: version } },
      aliases: { [`${source.prefix}-${kind}`]: {}, ...(isShared && { [source.prefix]: {} }) },
    };
  }
});
