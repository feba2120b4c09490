import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ask, JSON_BODY } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { useElasticsearch, useOwnElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import {
  closeElasticsearchSources,
  ElasticsearchSource,
  type ProcessOptions,
} from '../support/elasticsearch-source.ts';
import { PatientRequests, untilServed } from '../support/fault-clients.ts';
import { BASE_URL } from '../support/fault-source.ts';
import { requireNothingLost } from '../support/nothing-lost.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

const KINDS = ['log', 'resources', 'changes', 'ledgers', 'catalog'] as const;
const COMMANDS = [['serve', '--port', '0'], ['migrate'], ['sets', 'list']];
/** Another program's. */
const FOREIGN = { mappings: { properties: { soup: { type: 'keyword' } } } };

describe('an Elasticsearch that cannot be used', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  beforeEach(async () => {
    source = await ElasticsearchSource.makeEmpty(elasticsearch.url);
  });
  afterEach(closeElasticsearchSources);

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
      await isRefused(
        source,
        new RegExp(`index ${alias}-000001 that the alias ${alias} does not stand for`),
        'migrate',
      );
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

  it('is refused when an alias stands for two indices', async () => {
    for (const number of [1, 2]) await put(`${source.prefix}-log-00000${number}`, ours('log', 1));
    await isRefused(source, /the alias \S+-log stands for \S+-log-000001 and \S+-log-000002: one index is to be there/);
  });

  it('is refused when an index has a newer schema', async () => {
    await put(`${source.prefix}-ledgers-000001`, ours('ledgers', 99));
    await isRefused(source, /-ledgers-000001 has schema 99, and this version knows 2: use a newer one/);
  });

  it('is refused when its indices have the schema before, and used when they are migrated', async () => {
    for (const kind of KINDS) await put(`${source.prefix}-${kind}-000001`, ours(kind, 1));
    const refused = await source.run(['sets', 'list']);
    assert.match(refused.stderr, /have schema 1, this program needs 2: stop all .*"tidemark migrate"/);
    assert.equal(refused.exitCode, 3);
    assert.match((await source.run(['migrate'])).stdout, /from schema 1 to 2/);
    assert.match((await source.run(['migrate'])).stdout, /has schema 2 already/);

    const { index, sets, close } = await source.open();
    await sets.useBaseUrl(BASE_URL, false);
    const { id } = await sets.add({ slug: 'maps', urlPrefix: 'http://example.org/' });
    const record = { artifact: 'cdl/harvest/x.avro', offset: 100, length: 50, position: 3 };
    await index.commit([upsert(id, 'a', { length: 1, record })]);
    await index.watermark();
    assert.deepEqual((await index.lookup(id, ['/a']))[0]?.state, { length: 1, record });
    await close();
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
    await isRefused(source, /is no Elasticsearch \(perhaps OpenSearch.*use Elasticsearch 8 or 9/, {
      storeUrl: proxy.url,
    });
  });

  it('is refused when its certificate does not verify, and used when its authority is named', async () => {
    const proxy = await startTlsProxy(source.url, source.folder);
    source.onClose(() => proxy.close());
    await isRefused(source, /its certificate does not verify: name its authority in TIDEMARK_STORE_CA/, {
      storeUrl: proxy.url,
    });
    const environment = { TIDEMARK_STORE_CA: proxy.caFile };
    const { exitCode, stderr } = await source.run(['sets', 'list'], { storeUrl: proxy.url, environment });
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
      const left = await askElasticsearch(elasticsearch.url, 'GET', `${source.prefix}*/_alias`);
      assert.equal(Object.keys(left).length, KINDS.length - 1);
      await close();
    });
  }

  it('is told when it is not there', async () => {
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
    assert.equal(status, 200, text);
  }

  const remove = (index: string) => askElasticsearch(elasticsearch.url, 'DELETE', index);

  /** An index under its alias, as this program makes it, but for the version. */
  function ours(kind: string, version: number): object {
    const { mappings } = JSON.parse(readFileSync(new URL(`../../mappings/${kind}.json`, import.meta.url), 'utf8'));
    // Came with schema 2.
    if (version === 1) delete mappings.properties.record;
    return {
      mappings: { ...mappings, _meta: { schema_version: version } },
      aliases: { [`${source.prefix}-${kind}`]: {} },
    };
  }
});

describe('an Elasticsearch with users', function () {
  this.timeout(600_000);
  const own = useOwnElasticsearch({
    security: {
      users: [
        { name: 'owner', password: 'right-password', roles: ['superuser'] },
        { name: 'reader', password: 'right-password', roles: ['reads'] },
        { name: 'stranger', password: 'right-password', roles: ['monitors'] },
      ],
      roles: {
        reads: { cluster: ['monitor'], indices: [{ names: ['*'], privileges: ['read', 'view_index_metadata'] }] },
        monitors: { cluster: ['monitor'] },
      },
    },
  });
  let source: ElasticsearchSource;
  beforeEach(async () => {
    source = await ElasticsearchSource.makeEmpty(urlOf('owner'));
  });
  afterEach(closeElasticsearchSources);

  const urlOf = (user: string, password = 'right-password') =>
    own.elasticsearch.url.replace('://', `://${user}:${password}@`);

  it('is used by who may', async () => {
    assert.equal((await source.run(['sets', 'list'])).exitCode, 0);
  });

  it('is refused with a wrong password, which is not repeated', async () => {
    for (const storeUrl of [urlOf('owner', 'wrong-password'), own.elasticsearch.url]) {
      await isRefused(source, /refuses the user or the key: check TIDEMARK_STORE or TIDEMARK_STORE_API_KEY/, {
        storeUrl,
      });
    }
  });

  it('is refused with the name of the privilege that is missing', async () => {
    await isRefused(source, /lacks a privilege for this account: .*\[stranger\].*privileges \[view_index_metadata/, {
      storeUrl: urlOf('stranger'),
    });
    assert.equal((await source.run(['migrate'])).exitCode, 0);
    const add = ['sets', 'add', 'more', '--url-prefix', 'http://example.org/'];
    const { exitCode, stderr } = await source.run(add, { storeUrl: urlOf('reader') });
    assert.equal(exitCode, 3);
    assert.match(stderr, /lacks a privilege for this account: .*\[reader\].*write/);
  });

  it('is refused when it may have no further shard, and used when it may', async () => {
    const limit = async (most: number | null) => {
      const { status } = await ask(`${own.elasticsearch.url}/_cluster/settings`, {
        method: 'PUT',
        headers: { ...JSON_BODY, authorization: `Basic ${btoa('owner:right-password')}` },
        body: JSON.stringify({ persistent: { 'cluster.max_shards_per_node': most } }),
      });
      assert.equal(status, 200);
    };
    await limit(1);
    await isRefused(
      source,
      /does not make the index .*maximum.*shards open.*raise cluster\.max_shards_per_node/,
      'migrate',
    );
    await limit(null);
    assert.equal((await source.run(['migrate'])).exitCode, 0);
  });

  // Here, since a server of its own takes long to start.
  it('may be stopped, killed or paused while it is posted to: nothing is lost, and it is served again by itself', async () => {
    const { elasticsearch } = own;
    const outages = {
      'it was stopped and started': () => elasticsearch.restart(),
      async 'it was killed and started'() {
        await elasticsearch.kill();
        await elasticsearch.start();
      },
      async 'it did not answer for some seconds'() {
        elasticsearch.pause();
        await wait(3_000);
        elasticsearch.resume();
      },
    };
    const pages = await ElasticsearchSource.makeWithPages(urlOf('owner'));
    const servers = await Promise.all([pages.serve(), pages.serve()]);
    const clients = [1, 2].map((number) => new PatientRequests(number));
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at]!.url, stop.signal)));
    await untilServed('everybody posts', clients, posting);
    for (const [what, outage] of Object.entries(outages)) {
      await outage();
      await untilServed(`everybody goes on after ${what}`, clients, posting);
    }
    stop.abort();
    await posting;
    await requireNothingLost(pages, { clients, servers });
  });
});

/** Every command, or the one that is named, says what is wrong, with exit code 3 and no word of a password. */
async function isRefused(
  source: ElasticsearchSource,
  message: RegExp,
  options: ProcessOptions | 'migrate' = {},
): Promise<void> {
  const commands = options === 'migrate' ? [['migrate']] : COMMANDS;
  const before = options === 'migrate' ? [] : await indices(source);
  const runs = commands.map((command) => source.run(command, options === 'migrate' ? {} : options));
  for (const { exitCode, stdout, stderr } of await Promise.all(runs)) {
    assert.match(stderr, message);
    assert.match(stderr, /^tidemark: /);
    assert.doesNotMatch(stderr, /password/);
    assert.equal(stdout, '');
    assert.equal(exitCode, 3);
  }
  if (options !== 'migrate') assert.deepEqual(await indices(source), before);
}

async function indices({ url, prefix }: ElasticsearchSource): Promise<readonly string[]> {
  return Object.keys(await askElasticsearch(url, 'GET', `${prefix}*/_alias`)).sort();
}
