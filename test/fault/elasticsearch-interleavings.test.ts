import assert from 'node:assert/strict';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect, deletion, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { readLog, requireAlternating, untilApplied } from '../support/fault-checks.ts';
import type { Asked, FaultProxy } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 20, windowChanges: 10 };

/** For many changes. */
const LARGE = { pageEntries: 50_000, windowChanges: 50_000 };

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');
const createsCommit = ({ path }: Asked) => /-log-\d+-open\/_create\//.test(path);
const reserves = (asked: Asked) => createsCommit(asked) && asked.body.includes('"turn":true');
const readsPointer = ({ method, path }: Asked) => method === 'GET' && path.includes('-ledgers/_doc/applied');
const movesPointer = ({ method, path }: Asked) => method === 'PUT' && path.includes('-ledgers/_doc/applied');
const searchesResources = ({ path, body }: Asked) => path.includes('-resources/_search') && !body.includes('"aggs"');
const readsStates = ({ path }: Asked) => path.includes('-resources/_mget');
const readsLedgers = ({ path }: Asked) => path.includes('-ledgers/_mget');

/** Requests that are answered in another order than they were sent. */
describe('requests to Elasticsearch that overtake each other', () => {
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('let no process decide against a state that was read before a commit was applied, and answered after', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    const { index, sets } = await source.open(proxy.url);
    const { id } = await sets.bySlug(SLUG);

    const bulkMay = Promise.withResolvers<void>();
    proxy.on(isBulk, async (execute) => {
      await bulkMay.promise;
      return execute();
    });
    await index.commit([upsert(id, 'a', { length: 1 })]);

    const answerMay = Promise.withResolvers<void>();
    const holdStates = proxy.on(readsStates, async (execute) => {
      const before = await execute();
      await answerMay.promise;
      return before;
    });
    const second = index.commit([upsert(id, 'a', { length: 2 })]);
    await until('the states are asked for', async () => holdStates.met > 0);
    const moved = Promise.withResolvers<void>();
    proxy.on(movesPointer, async (execute) => {
      const answer = await execute();
      setTimeout(moved.resolve, 100);
      return answer;
    });
    bulkMay.resolve();
    await moved.promise;
    answerMay.resolve();

    assert.deepEqual(
      (await second).map((result) => (result.status === 'applied' ? result.kind : result.status)),
      ['updated'],
    );
  });

  it('let no event count as unchanged that meets the state before another process changed it', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    const [late, other] = await Promise.all([source.open(proxy.url), source.open()]);
    const { id } = await other.sets.bySlug(SLUG);
    await late.index.commit([upsert(id, 'a', { length: 1 }), upsert(id, 'b')]);
    await untilApplied(late.index);

    const answerMay = Promise.withResolvers<void>();
    const holdStates = proxy.on(readsStates, async (execute) => {
      const before = await execute();
      await answerMay.promise;
      return before;
    });
    const asBefore = late.index.commit([upsert(id, 'a', { length: 1 }), deletion(id, 'c')]);
    await until('the states are asked for', async () => holdStates.met > 0);
    await other.index.commit([upsert(id, 'a', { length: 2 }), upsert(id, 'c')]);
    answerMay.resolve();

    assert.deepEqual(
      (await asBefore).map((result) => (result.status === 'applied' ? result.kind : result.status)),
      ['updated', 'deleted'],
    );
    assert.deepEqual(
      (await readLog(other)).slice(-2).map(({ key, kind, state }) => [key, kind, state?.length]),
      [
        ['/a', 'updated', 1],
        ['/c', 'deleted', undefined],
      ],
    );
  });

  it('do not delay a process that begins late: it reads the end of the log, and not all of it', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const { index, sets } = await source.open();
    const { id } = await sets.bySlug(SLUG);
    for (let length = 0; length < 60; length++) await index.commit([upsert(id, 'a', { length })]);

    const proxy = await source.proxy();
    const counted = proxy.on(createsCommit, (execute) => execute());
    const late = await source.open(proxy.url);
    await late.index.commit([upsert(id, 'a', { length: 60 })]);
    assert.ok(counted.met <= 3, `it took ${counted.met} requests`);
    assert.equal((await readLog(late)).length, 61);
  });

  it('let a process commit much while others commit little without a pause', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LARGE);
    const proxy = await source.proxy();
    const [large, small] = await Promise.all([openPatiently(source, proxy), source.open()]);
    const { id } = await small.sets.bySlug(SLUG);
    const lost = proxy.on(createsCommit, (execute) => execute());
    const much = Array.from({ length: 2_500 }, (_, at) => upsert(id, `k${at % 500}`, { length: at }));
    let isDone = false;
    let commits = 0;
    const committing = (async () => {
      while (!isDone) await small.index.commit([upsert(id, 'small', { length: ++commits })]);
    })();
    try {
      await until('others commit', async () => commits > 5);
      const first = await large.index.commit(much);
      assert.ok(first.every(({ status }) => status === 'applied'));
      const again = await large.index.commit(much.slice(-500));
      assert.ok(again.every(({ status }) => status === 'unchanged'));
    } finally {
      isDone = true;
      await committing;
    }
    assert.ok(lost.met > 1, 'others were quicker');
    const log = await readLog(small);
    requireAlternating(log);
    assert.equal(log.length, much.length + commits);
  });

  it('do not wait long for a process that made a reservation, and was paused', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    const [silent, other] = await Promise.all([openPatiently(source, proxy), source.open()]);
    const { id } = await other.sets.bySlug(SLUG);
    let commits = 0;
    const commit = () => other.index.commit([upsert(id, 'a', { length: ++commits })]);
    const mayGoOn = Promise.withResolvers<void>();
    const asks = proxy.on(reserves, (execute) => execute());
    proxy.on(createsCommit, async (execute) => {
      // The other one is quicker, until it is asked to wait.
      if (asks.met === 0) await commit();
      else await mayGoOn.promise;
      return execute();
    });
    const late = silent.index.commit([upsert(id, 'b')]);
    await until('it has asked', async () => asks.met > 0);
    await commit();
    mayGoOn.resolve();
    assert.deepEqual(
      (await late).map((result) => (result.status === 'applied' ? result.kind : result.status)),
      ['created'],
    );
    assert.equal((await readLog(other)).length, commits + 1);
  });

  it('do not stop a process that learns that commits are applied before it has read them', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const [ofReader, ofWriter] = [await source.proxy(), await source.proxy()];
    const { url } = await source.serveHere(ofReader.url);
    const { index, sets } = await source.open(ofWriter.url);
    const { id } = await sets.bySlug(SLUG);

    const bulkMay = Promise.withResolvers<void>();
    const holdBulk = ofWriter.on(isBulk, (execute) => bulkMay.promise.then(execute));
    const pointerMay = Promise.withResolvers<void>();
    const holdPointer = ofReader.on(readsPointer, (execute) => pointerMay.promise.then(execute));
    await index.commit([upsert(id, 'a')]);
    const reading = ask(`${url}/readyz`);
    await until('it has read the first commit, and looks whether it is applied', async () => holdPointer.met > 0);
    holdBulk.remove();
    bulkMay.resolve();
    for (let length = 0; length < 10; length++) await index.commit([upsert(id, 'a', { length })]);
    await untilApplied(index);
    pointerMay.resolve();

    // Held for long, it may have been asked to retry.
    await reading;
    await until('it is ready', async () => (await ask(`${url}/readyz`)).status === 200);
    const event = { location: { type: 'rel_path', value: 'b' }, change: 'created' };
    const { status } = await askJson(`${url}/api/sets/${SLUG}/changes`, { changes: [event] });
    assert.equal(status, 200);
  });

  it('leave no window out that is closed while the windows are read', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    const [reader, writer] = await Promise.all([openPatiently(source, proxy), source.open()]);
    const { id } = await writer.sets.bySlug(SLUG);
    const post = (from: number) =>
      writer.index.commit(Array.from({ length: LIMITS.windowChanges }, (_, at) => upsert(id, `k${from + at}`)));
    await post(0);
    await post(100);

    const mayRead = Promise.withResolvers<void>();
    const hold = proxy.on(readsLedgers, async (execute) => {
      await mayRead.promise;
      return execute();
    });
    const reading = reader.index.windows(id, 0);
    await until('the ledger is asked for', async () => hold.met > 0);
    await post(200);
    await post(300);
    await untilApplied(writer.index);
    mayRead.resolve();

    const numbers = (await reading).map(({ number }) => number);
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => at + 1),
      'the windows that were closed meanwhile are missing',
    );
    assert.ok(numbers.length >= 2);
    requireAlternating(await readLog(writer));
  });

  it('leave no resource out when many come while a page is read', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LARGE);
    const proxy = await source.proxy();
    const [reader, writer] = await Promise.all([openPatiently(source, proxy), source.open()]);
    const { id } = await writer.sets.bySlug(SLUG);
    const post = (paths: readonly string[], length: number) =>
      writer.index.commit(paths.map((path) => upsert(id, path, { length })));
    const before = Array.from({ length: 4_000 }, (_, at) => `k${at}`);
    await post(before, 1);

    const maySearch = Promise.withResolvers<void>();
    const hold = proxy.on(searchesResources, async (execute) => {
      await maySearch.promise;
      return execute();
    });
    const reading = collect(reader.index.read(id, {}));
    await until('the page is searched for', async () => hold.met > 0);
    await post(
      Array.from({ length: 7_000 }, (_, at) => `k0-${at}`),
      1,
    );
    // Written anew, they are the last that a search finds.
    await post(before, 2);
    await untilApplied(writer.index);
    maySearch.resolve();

    const keys = (await reading).map(({ key }) => key);
    assert.deepEqual(keys, [...new Set(keys)].sort(), 'each once, in order');
    const found = new Set(keys);
    assert.deepEqual(
      before.filter((path) => !found.has(`/${path}`)),
      [],
    );
  });
});

/** For a process that waits for an answer while others work. */
async function openPatiently(source: ElasticsearchSource, proxy: FaultProxy) {
  const opened = await openElasticsearch(source.location(proxy.url), { requestTimeoutMs: 180_000 });
  source.onClose(opened.close);
  return opened;
}
