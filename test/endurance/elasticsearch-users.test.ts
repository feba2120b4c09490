import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { prepareIndices } from '../../src/stores/elasticsearch/index-schema.ts';
import { ChangesIndices } from '../../src/stores/elasticsearch/shards/changes-indices.ts';
import { ask, JSON_BODY } from '../support/ask.ts';
import { useOwnElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { PatientRequests, untilServed } from '../support/fault-clients.ts';
import { isRefused } from '../support/is-refused.ts';
import { requireNothingLost } from '../support/nothing-lost.ts';

const ADD_MAPS = ['sets', 'add', 'maps', '--url-prefix', 'http://example.org/'];

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
  afterEach(async () => {
    await limit(null);
    await allocate(null);
    await closeElasticsearchSources();
  });

  const urlOf = (user: string, password = 'right-password') =>
    own.elasticsearch.url.replace('://', `://${user}:${password}@`);

  const set = async (setting: string, value: number | string | null) => {
    const { status } = await ask(`${own.elasticsearch.url}/_cluster/settings`, {
      method: 'PUT',
      headers: { ...JSON_BODY, authorization: `Basic ${btoa('owner:right-password')}` },
      body: JSON.stringify({ persistent: { [setting]: value } }),
    });
    assert.equal(status, 200);
  };
  const limit = (most: number | null) => set('cluster.max_shards_per_node', most);
  const allocate = (which: string | null) => set('cluster.routing.allocation.enable', which);

  it('is used by a user with the privileges', async () => {
    assert.equal((await source.run(ADD_MAPS)).exitCode, 0);
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
    await (await source.open()).close();
    const { exitCode, stderr } = await source.run(ADD_MAPS, { storeUrl: urlOf('reader') });
    assert.equal(exitCode, 3);
    assert.match(stderr, /lacks a privilege for this account: .*\[reader\].*write/);
  });

  it('is refused when it may have no more shards, and used when it may', async () => {
    await limit(1);
    const { exitCode, stderr } = await source.run(ADD_MAPS);
    assert.equal(exitCode, 3);
    assert.match(stderr, /does not make the index .*maximum.*shards open.*raise cluster\.max_shards_per_node/);
    await limit(null);
    assert.equal((await source.run(ADD_MAPS)).exitCode, 0);
  });

  it('is refused in time when no node takes its shards, and used when one does', async () => {
    const location = source.location();
    const cluster = new Cluster(location, undefined, { requestTimeoutMs: 20_000 });
    const prepare = () => prepareIndices(cluster, new IndexNames(location.prefix));
    try {
      await allocate('none');
      await assert.rejects(prepare(), /has no node that holds all of .*: see GET _cluster\/allocation\/explain/);
      await allocate(null);
      await prepare();
    } finally {
      await cluster.close();
    }
  });

  it('takes more changes into a full index while it may have no more shards', async () => {
    await source.open();
    const location = source.location();
    const cluster = new Cluster(location);
    const names = new IndexNames(location.prefix);
    const chosen = () => new ChangesIndices(cluster, names, { documents: 0, bytes: 0 }).current();
    try {
      await limit(1);
      assert.equal(await chosen(), names.changesIndex(1));
      await limit(null);
      assert.equal(await chosen(), names.changesIndex(2));
    } finally {
      await cluster.close();
    }
  });

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
