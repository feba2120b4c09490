import assert from 'node:assert/strict';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { reshardStore } from '../../src/stores/open-stores.ts';
import { upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { PatientRequests } from '../support/fault-clients.ts';
import { SET_URL, SLUG } from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
import { requireNothingLost } from '../support/nothing-lost.ts';
import { type RunningTidemark, startProcess } from '../support/run-tidemark.ts';
import { SetReader } from '../support/set-reader.ts';
import { isStopped, until } from '../support/until.ts';

const LIMITS = { pageEntries: 50, windowChanges: 60 };

describe('the index of resources, copied into one with other shards', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;

  beforeEach(async () => {
    source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
  });
  afterEach(closeElasticsearchSources);

  it('goes on under posts and a follower, to more shards and to fewer, and loses nothing', async () => {
    const app = await source.open();
    const { id } = await app.sets.bySlug(SLUG);
    await app.index.commit(Array.from({ length: 300 }, (_, at) => upsert(id, `old-${at}`)));
    const server = await source.serveHere();
    const other = await source.serveHere();
    const follower = await Follower.start(new SetReader(SET_URL, server.url, other.url));
    const following = new AbortController();
    const followed = follower.follow(following.signal, 50);
    const client = new PatientRequests(1);
    await whilePosting([client], server, async () => {
      for (const shards of [3, 2]) {
        const { exitCode, stdout, stderr } = await source.run(['reshard', `${shards}`, '--json']);
        assert.equal(exitCode, 0, stderr);
        const { from, to, documents, blockedMs } = JSON.parse(stdout);
        assert.deepEqual([from, to], [shards === 3 ? 1 : 3, shards]);
        assert.ok(documents > 300 && blockedMs > 0 && blockedMs < 30_000, stdout);
      }
    });
    await requireNothingLost(source, { clients: [client], servers: [server, other] });
    following.abort();
    await followed;
    const { resources } = await new SetReader(SET_URL, server.url).resourceList();
    assert.deepEqual([...follower.copy.values()].toSorted(byUri), [...resources.values()].toSorted(byUri));
    await requireOnly({ number: 3, shards: 2 });
  });

  for (const failpoint of FAILPOINTS.reshard) {
    it(`is made by a second call, when the first one was killed at ${failpoint}`, async () => {
      const server = await source.serveHere();
      const client = new PatientRequests(1, { keys: 40 });
      await whilePosting([client], server, async () => {
        const killed = await source.run(['reshard', '3'], { failpoint: `${failpoint}:kill` });
        assert.equal(killed.exitCode, null);
        const { exitCode, stderr } = await source.run(['reshard', '3']);
        assert.equal(exitCode, 0, stderr);
      });
      await requireOnly({ number: 2, shards: 3 });
      await requireNothingLost(source, { clients: [client], servers: [server] });
    });
  }

  it('is undone by a call with the present number, when the first one was killed', async () => {
    const server = await source.serveHere();
    const client = new PatientRequests(1, { keys: 40 });
    await whilePosting([client], server, async () => {
      await source.run(['reshard', '3'], { failpoint: 'reshard.caughtup:kill' });
      assert.equal((await source.run(['reshard', '1'])).exitCode, 0);
    });
    await requireOnly({ number: 1, shards: 1 });
    await requireNothingLost(source, { clients: [client], servers: [server] });
  });

  it('is made by one call alone, when another one sleeps meanwhile', async () => {
    const server = await source.serveHere();
    const client = new PatientRequests(1, { keys: 40 });
    await whilePosting([client], server, async () => {
      const slept = await stoppedAt('reshard.copied');
      const { exitCode, stderr } = await source.run(['reshard', '2']);
      assert.equal(exitCode, 0, stderr);
      slept.signal('SIGCONT');
      assert.equal(await slept.exit(), 3);
    });
    await requireOnly({ number: 2, shards: 2 });
    await requireNothingLost(source, { clients: [client], servers: [server] });
  });

  it('is not switched by a call that slept, and that another one has replaced', async () => {
    const app = await source.open();
    const { id } = await app.sets.bySlug(SLUG);
    await app.index.commit([upsert(id, 'a')]);
    const first = await stoppedAt('reshard.caughtup');
    const second = await stoppedAt('reshard.copied');
    await app.index.commit([upsert(id, 'b')]);
    await app.index.watermark();
    first.signal('SIGCONT');
    assert.equal(await first.exit(), 3);
    assert.equal((await app.index.lookup(id, ['/b']))[0]?.key, '/b');
    second.signal('SIGCONT');
    assert.equal(await second.exit(), 0);
    await requireOnly({ number: 2, shards: 3 });
    assert.equal((await app.index.lookup(id, ['/b']))[0]?.key, '/b');
  });

  it('has what was written to the old one just before the switch, when another process had removed the block', async () => {
    const app = await source.open();
    const { id } = await app.sets.bySlug(SLUG);
    await app.index.commit([upsert(id, 'a'), upsert(id, 'b')]);
    const slept = await stoppedAt('reshard.caughtup');
    const settings = { index: { blocks: { write: false } } };
    await askElasticsearch(source.url, 'PUT', `${source.prefix}-resources/_settings`, settings);
    await app.index.commit([upsert(id, 'b', { length: 7 })]);
    await app.index.watermark();
    slept.signal('SIGCONT');
    assert.equal(await slept.exit(), 0);
    await requireOnly({ number: 2, shards: 3 });
    const [found] = await app.index.lookup(id, ['/b']);
    assert.equal(found?.state?.length, 7);
  });

  it('keeps aliases of the operator, and is refused for a store in a file', async () => {
    const alias = {
      actions: [{ add: { index: `${source.prefix}-resources-000001`, alias: `${source.prefix}-mine` } }],
    };
    await askElasticsearch(source.url, 'POST', '_aliases', alias);
    await reshardStore(source.location(), 2);
    const found = await askElasticsearch(source.url, 'GET', `_alias/${source.prefix}-mine`);
    assert.deepEqual(Object.keys(found), [`${source.prefix}-resources-000002`]);
    const file = { kind: 'sqlite', file: 'tidemark.db' } as const;
    await assert.rejects(reshardStore(file, 2), /is a file, and has no shards/);
  });

  async function whilePosting(
    clients: readonly PatientRequests[],
    { url }: { readonly url: string },
    work: () => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const posting = clients.map((client) => client.post(url, stop.signal));
    try {
      for (const client of clients) await client.answersFrom(0);
      await work();
      for (const client of clients) await client.answersFrom(client.answers);
    } finally {
      stop.abort();
      await Promise.all(posting);
    }
  }

  async function stoppedAt(failpoint: string): Promise<RunningTidemark> {
    const env = source.environment({ failpoint: `${failpoint}:stop` });
    const slept = startProcess(['reshard', '3'], { cwd: source.folder, env });
    await until('it sleeps', () => isStopped(slept.pid));
    return slept;
  }

  /** One index of resources is left, which can be written, and which its aliases point to. */
  async function requireOnly({ number, shards }: { number: number; shards: number }): Promise<void> {
    const found = await askElasticsearch(source.url, 'GET', `${source.prefix}-resources-*`);
    type Found = { aliases: object; settings: { index: { number_of_shards: string; blocks?: { write?: string } } } };
    const [[name, index], ...others] = Object.entries(found) as [[string, Found], ...unknown[]];
    assert.deepEqual(others, []);
    assert.equal(name, `${source.prefix}-resources-00000${number}`);
    assert.equal(index.settings.index.number_of_shards, String(shards));
    assert.notEqual(index.settings.index.blocks?.write, 'true');
    assert.deepEqual(Object.keys(index.aliases).toSorted(), [source.prefix, `${source.prefix}-resources`]);
  }
});

function byUri(a: { readonly uri: string }, b: { readonly uri: string }): number {
  return a.uri < b.uri ? -1 : 1;
}
