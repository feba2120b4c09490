import assert from 'node:assert/strict';
import type { AcceptedClock } from '../../src/core/accepted-clock.ts';
import type { ChangeEvent } from '../../src/core/change.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { type CommitDocument, decodeCommit } from '../../src/stores/elasticsearch/commit-record.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { ACCEPTED_CLOCK } from '../../src/stores/store-clock.ts';
import { collect, deletion, URL_PREFIX, upsert } from '../support/builders.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { type Asked, cutRequest, FaultProxy } from '../support/fault-proxy.ts';
import { until } from '../support/until.ts';
import { commitContract } from './commits.ts';

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');
const createsCommit = ({ path }: Asked) => /-log-\d+-open\/_create\//.test(path);
const readsLog = ({ path, body }: Asked) => path.startsWith('/_mget') && /-log-\d+-open"/.test(body);
const movesPointer = ({ method, path }: Asked) => method === 'PUT' && path.includes('-ledgers/_doc/applied');
const reserves = (asked: Asked) => createsCommit(asked) && asked.body.includes('"turn":true');

describe('the committer on Elasticsearch', () => {
  const server = useElasticsearch();
  const elasticsearch = onElasticsearch(server);

  describe('as every committer', () => {
    commitContract(async () => {
      const { location, dispose } = elasticsearch.place('', { mayBeMade: true });
      return { open: () => openStores(location), dispose };
    });
  });

  describe('with a log that processes share', () => {
    const trueNow = Date.now;
    let closers: (() => Promise<unknown>)[];
    let location: ElasticsearchLocation;
    let stores: Stores;
    let set: number;

    beforeEach(async () => {
      const place = elasticsearch.place('');
      location = place.location as ElasticsearchLocation;
      closers = [place.dispose];
      stores = await open();
      const sets = new SetRegistry(stores.catalog, stores.index);
      await sets.useBaseUrl('http://localhost:8080', false);
      set = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX })).id;
      await stores.index.watermark();
    });
    afterEach(async () => {
      Date.now = trueNow;
      for (const close of closers.reverse()) await close();
    });

    /** A process. @param proxy in front of the server */
    async function open(proxy?: FaultProxy): Promise<Stores> {
      const opened = await openStores({ ...location, ...(proxy !== undefined && { nodes: [proxy.url] }) });
      closers.push(opened.close);
      return opened;
    }
    async function startProxy(): Promise<FaultProxy> {
      const proxy = await FaultProxy.start(server.url);
      closers.push(() => proxy.close());
      return proxy;
    }
    /** What the clock of every process in this test says from now on. */
    function setClock(secondsAhead: number): void {
      Date.now = () => trueNow() + secondsAhead * 1000;
    }
    async function stampsOf({ index }: Stores, ...events: readonly ChangeEvent[]): Promise<readonly number[]> {
      const results = await index.commit(events);
      return results.map((result) => (result.status === 'applied' ? result.stamp : assert.fail(result.status)));
    }

    it('records with each change what it replaced: stamp, weight, and whether that was live', async () => {
      const events = [upsert(set, 'a'), upsert(set, 'a', { length: 2 }), deletion(set, 'a'), upsert(set, 'a')];
      const stamps: number[] = [];
      for (const [at, event] of events.entries())
        stamps.push(...(await stampsOf(stores, { ...event, weight: 501 + at })));
      const { log } = new IndexNames(location.prefix);
      await askElasticsearch(server.url, 'POST', `${log}/_refresh`);
      const { hits } = (await askElasticsearch(server.url, 'GET', `${log}/_search?size=100`)) as {
        hits: { hits: Hit[] };
      };
      const commits = hits.hits.filter(({ _id }) => /^\d+$/.test(_id));
      const changes = commits
        .flatMap(({ _id, _source }) => decodeCommit({ number: Number(_id), segment: 1 }, _source).changes)
        .sort((one, other) => one.stamp - other.stamp);
      assert.deepEqual(
        // What is not live has no weight, once it is applied.
        changes.map(({ before }) => ({ ...before, weight: before.live ? before.weight : 0 })),
        [
          { stamp: 0, weight: 0, live: false },
          { stamp: stamps[0], weight: 501, live: true },
          { stamp: stamps[1], weight: 502, live: true },
          { stamp: stamps[2], weight: 0, live: false },
        ],
      );
    });

    it('makes boundaries above the changes of other processes, also where their times are ahead of the clock', async () => {
      const other = await open();
      setClock(50);
      const [ahead] = await stampsOf(other, upsert(set, 'a'));
      setClock(0);
      assert.equal(await stores.index.mark(), ahead! + 1);
      assert.deepEqual(await stampsOf(other, upsert(set, 'b')), [ahead! + 2]);
    });

    it('commits nothing while the last change is a minute ahead of the clock, until an operator accepts that', async () => {
      setClock(50);
      const [ahead] = await stampsOf(stores, upsert(set, 'a'));
      setClock(-5);
      assert.deepEqual(await stampsOf(stores, upsert(set, 'b')), [ahead! + 2]);
      setClock(-15);
      await assert.rejects(stores.index.commit([upsert(set, 'c')]), {
        code: 'unavailable',
        message: /^the last change in the store is 6[3-5] seconds ahead of this machine's clock/,
      });
      const { kind, id } = ACCEPTED_CLOCK;
      await stores.catalog.put<AcceptedClock>(kind, id, { through: ahead! + 3 }, undefined);
      assert.deepEqual(await stampsOf(stores, upsert(set, 'c')), [ahead! + 4]);
    });

    it('reserves the next commit after three that other processes made before it', async () => {
      const proxy = await startProxy();
      const slow = await open(proxy);
      let quicker = 0;
      const reservations = proxy.on(reserves, (execute) => execute());
      const commits = proxy.on(createsCommit, async (execute) => {
        if (reservations.met === 0 && quicker < 6) await stores.index.commit([upsert(set, 'a', { length: ++quicker })]);
        return execute();
      });
      await stampsOf(slow, upsert(set, 'b'));
      assert.deepEqual([quicker, reservations.met, commits.met], [3, 1, 4]);
    });

    it('knows what a commit did that no process has applied yet, when it commits to that set for the first time', async () => {
      const proxy = await startProxy();
      const [writer, other] = [await open(proxy), await open(proxy)];
      const sets = new SetRegistry(stores.catalog, stores.index);
      const { id: beside } = await sets.add({ slug: 'beside', urlPrefix: URL_PREFIX });
      await stores.index.watermark();
      const cut = proxy.on(isBulk, cutRequest);
      const event = { ...upsert(set, 'a'), source: 'harvester', position: 3 };
      await stampsOf(writer, event);
      // It reads the commit of the writer.
      await stampsOf(other, upsert(beside, 'b'));
      const results = await other.index.commit([upsert(set, 'a'), { ...event, key: '/c' }]);
      assert.deepEqual(
        results.map((result) => (result.status === 'unchanged' ? result.reason : result.status)),
        ['same-state', 'repeated'],
      );
      cut.remove();
    });

    it('reads what it missed of the log at once, and does not try each number', async () => {
      for (let length = 0; length < 10; length++) await stores.index.commit([upsert(set, 'a', { length })]);
      const proxy = await startProxy();
      const late = await open(proxy);
      const commits = proxy.on(createsCommit, (execute) => execute());
      await stampsOf(late, upsert(set, 'b'));
      assert.ok(commits.met <= 2, `it took ${commits.met} requests`);
    });

    it('asks for nothing but the commit when no other process commits, and makes none when nothing is new', async () => {
      const proxy = await startProxy();
      const alone = await open(proxy);
      await stampsOf(alone, upsert(set, 'a'));
      const [commits, reads] = [createsCommit, readsLog].map((matches) => proxy.on(matches, (execute) => execute()));
      for (const length of [2, 3]) await stampsOf(alone, upsert(set, 'a', { length }));
      assert.deepEqual([commits!.met, reads!.met], [2, 0]);
      const [known] = await alone.index.commit([upsert(set, 'a', { length: 3 })]);
      assert.deepEqual([known!.status, commits!.met, reads!.met], ['unchanged', 2, 1]);
    });

    it('applies its commits and marks without being asked', async () => {
      const proxy = await startProxy();
      const alone = await open(proxy);
      const moves = proxy.on(movesPointer, (execute) => execute());
      for (const append of [() => stampsOf(alone, upsert(set, 'a')), () => alone.index.mark()]) {
        const before = moves.met;
        await append();
        await until('it is applied', async () => moves.met > before);
      }
    });

    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => upsert(set, `k${from + at}`));
    for (const { title, commits, each } of [
      { title: 'eight commits', commits: 8, each: 1 },
      { title: 'commits of 25,000 changes', commits: 2, each: 12_500 },
    ]) {
      it(`lets ${title} wait to be applied, and acknowledges no other before one is`, async () => {
        const proxy = await startProxy();
        const writer = await open(proxy);
        const mayApply = Promise.withResolvers<void>();
        proxy.on(isBulk, (execute) => mayApply.promise.then(execute));
        try {
          for (let at = 0; at < commits; at++) await stampsOf(writer, ...many(at * each, each));
          // On a busy machine it may be refused because applying takes long.
          const commitNext = () => writer.index.commit([upsert(set, 'next')]).catch(() => undefined);
          const next = commitNext();
          // Each waits for the commits that were begun before it, if they may be made.
          for (let read = 0; read < 3; read++) await writer.gauge.progress();
          assert.equal((await writer.gauge.progress()).waiting, commits);
          mayApply.resolve();
          const [result] = (await next) ?? (await until('there is room', commitNext));
          assert.equal(result?.status, 'applied');
        } finally {
          mayApply.resolve();
        }
      });
    }

    it('shows no change of a later commit while an earlier one is being applied', async () => {
      const [writers, readers] = [await startProxy(), await startProxy()];
      const [writer, reader] = [await open(writers), await open(readers)];
      const { changes } = new IndexNames(location.prefix);
      await stampsOf(writer, upsert(set, 'a'));
      const applied = Promise.withResolvers<void>();
      const isApplied = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      writers.on(
        (asked) => isBulk(asked) && asked.body.includes('/second'),
        async (execute) => {
          await gate.promise;
          return execute();
        },
      );
      writers.on(
        (asked) => isBulk(asked) && asked.body.includes('/third'),
        async (execute) => {
          const answer = await execute();
          applied.resolve();
          return answer;
        },
      );
      // The reader has read the head of the log when it searches.
      const searches = readers.on(
        ({ path }) => path.includes('_search') && path.includes('-changes'),
        async (execute) => {
          searches.remove();
          commits = [writer.index.commit([upsert(set, 'second')]), writer.index.commit([upsert(set, 'third')])];
          await applied.promise;
          await askElasticsearch(server.url, 'POST', `${changes}/_refresh`);
          isApplied.resolve();
          return execute();
        },
      );
      let commits: Promise<unknown>[] = [];
      const keys = (await collect(reader.index.changes(set, { after: 0 }))).map(({ key }) => key);
      await isApplied.promise;
      gate.resolve();
      await Promise.all(commits);
      assert.deepEqual(keys, ['/a']);
    });
  });
});

interface Hit {
  readonly _id: string;
  readonly _source: CommitDocument;
}
