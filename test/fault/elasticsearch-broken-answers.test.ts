import assert from 'node:assert/strict';
import type { Client } from '@elastic/elasticsearch';
import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import type { CommitResult } from '../../src/stores/commit-result.ts';
import { collect, deletion, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { readLog, untilApplied } from '../support/fault-checks.ts';
import type { Answered, Asked, Fault } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 20, windowChanges: 10 };
/** More than a process reads one by one. */
const MANY_COMMITS = 20;
const ITEM_ERROR = { type: 'circuit_breaking_exception', reason: 'Data too large' };

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');
const readsStates = ({ path }: Asked) => path.includes('-resources/_mget');
const readsLog = ({ path }: Asked) => path === '/_mget';
const surveys = ({ path, body }: Asked) => path.includes('-resources/_search') && body.includes('"stored_fields"');

describe('answers of Elasticsearch that are broken in part, or late', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  beforeEach(async () => {
    source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
  });
  afterEach(closeElasticsearchSources);

  it('claim no job while a copy of a shard could not be refreshed: another process may have it', async () => {
    const proxy = await source.proxy();
    const { jobs } = await source.open(proxy.url);
    await jobs.queue.add('build', 'a', {});
    const claimer = jobs.queue.claimer({
      kinds: ['build'],
      numerousKinds: [],
      worker: { name: 'w', leaseMs: 30_000 },
      mostDeaths: 1,
    });
    const lagging = proxy.on(
      ({ path }) => path.includes('-jobs/_refresh'),
      async (execute) => {
        const answer = await execute();
        return { ...answer, body: Buffer.from('{"_shards":{"total":2,"successful":1,"failed":1}}') };
      },
    );
    await assert.rejects(claimer.claim(), { code: 'unavailable', message: /could not refresh 1 copies/ });
    lagging.remove();
    assert.equal((await claimer.claim())?.job.id, 'a');
  });

  it('are not blamed for a fault of this program', async () => {
    const cluster = new Cluster(readNodes(elasticsearch.url));
    try {
      const asking = cluster.ask(async () => (undefined as unknown as { hits: string }).hits);
      await assert.rejects(asking, TypeError);
    } finally {
      await cluster.close();
    }
  });

  it('leave a process that slept through many commits without anything that it knew before', async () => {
    const [sleeper, other] = await Promise.all([source.open(), source.open()]);
    const { id } = await other.sets.bySlug(SLUG);
    const from = (position: number) => ({ source: 'harvester', position });
    // The set begins under its eyes, so it knows which keys there are.
    await sleeper.index.commit([{ ...upsert(id, 'a'), ...from(1) }]);
    for (let at = 2; at < MANY_COMMITS; at++) {
      await other.index.commit([{ ...upsert(id, `k${at}`), ...from(at) }]);
    }
    await untilApplied(other.index);

    const results = await sleeper.index.commit([
      deletion(id, 'k10'),
      { ...upsert(id, 'late'), ...from(MANY_COMMITS - 1) },
      { ...upsert(id, 'b'), ...from(MANY_COMMITS) },
    ]);

    assert.deepEqual(results.map(outcomeOf), ['deleted', 'repeated', 'created']);
    const log = await readLog(other);
    const { changes, resources } = await other.index.summary(id);
    assert.deepEqual([changes, resources], [log.length, MANY_COMMITS - 1]);
    const windows = await other.index.windows(id, 0);
    assert.deepEqual(
      windows.map(({ number, changes }) => [number, changes]),
      [
        [1, 10],
        [2, 10],
        [3, log.length - 20],
      ],
    );
  });

  it('decide nothing, and answer nothing, when an item of _mget has failed', async () => {
    const proxy = await source.proxy();
    const [first, second] = await Promise.all([source.open(), source.open(proxy.url)]);
    const { id } = await first.sets.bySlug(SLUG);
    await first.index.commit([upsert(id, 'a', { length: 1 }), upsert(id, 'b')]);
    await untilApplied(second.index);

    for (const matches of [readsStates, readsLog]) {
      const failing = proxy.on(matches, failingItem);
      await assert.rejects(second.index.lookup(id, ['/b', '/a']), { code: 'unavailable', message: /Data too large/ });
      await assert.rejects(second.index.commit([upsert(id, 'b'), upsert(id, 'a')]), { code: 'unavailable' });
      failing.remove();
    }
    const results = await second.index.commit([upsert(id, 'b'), upsert(id, 'a', { length: 2 })]);
    assert.deepEqual(results.map(outcomeOf), ['same-state', 'updated']);
  });

  it('are asked for again when items of _bulk have failed', async () => {
    const proxy = await source.proxy();
    const { index, sets } = await source.open(proxy.url);
    const { id } = await sets.bySlug(SLUG);
    // Nothing of it is taken: neither a state, nor a change, nor a ledger.
    const full = proxy.on(isBulk, async (_execute, { body }) => answer({ errors: true, items: failedItems(body) }));
    await index.commit([upsert(id, 'a')]);
    await until('it has asked which items failed', async () => full.met >= 2);
    full.remove();

    assert.deepEqual(
      (await collect(index.read(id, {}))).map(({ key }) => key),
      ['/a'],
    );
    assert.equal((await index.summary(id)).changes, 1);
  });

  it('keep a survey to its boundary when others commit while it reads', async () => {
    const proxy = await source.proxy();
    const [surveyor, writer] = await Promise.all([source.open(proxy.url), source.open()]);
    const { id } = await writer.sets.bySlug(SLUG);
    const paths = Array.from({ length: 5 }, (_, at) => `k${at}`);
    await writer.index.commit([...paths.map((path) => upsert(id, path)), deletion(id, 'k4')]);
    const limits = { entries: 100, weight: 1_000_000 };
    const before = await surveyor.index.survey(id, {}, limits);

    const maySearch = Promise.withResolvers<void>();
    const hold = proxy.on(surveys, async (execute) => {
      await maySearch.promise;
      return execute();
    });
    const surveying = surveyor.index.survey(id, {}, limits);
    await until('it searches', async () => hold.met > 0);
    const [updated] = await writer.index.commit([
      upsert(id, 'k0', { length: 123_456_789 }),
      deletion(id, 'k1'),
      upsert(id, 'k4'),
      upsert(id, 'new'),
    ]);
    await untilApplied(writer.index);
    maySearch.resolve();

    const survey = await surveying;
    assert.deepEqual(survey.pieces, before.pieces);
    assert.ok(updated?.status === 'applied' && survey.through < updated.stamp);
  });

  it('stop a process that reads a commit which does not follow the one that it knows', async () => {
    const [reader, writer] = await Promise.all([source.open(), source.open()]);
    const { id } = await writer.sets.bySlug(SLUG);
    await writer.index.commit([upsert(id, 'a')]);
    await untilApplied(reader.index);
    await writer.index.commit([upsert(id, 'b')]);
    const index = `${source.prefix}-log`;
    await ask((client) => client.indices.refresh({ index }));
    const { count } = await ask((client) => client.count({ index }));
    const doc = { after: 'a-commit-of-another-log' };
    await ask((client) => client.update({ index, id: String(count), doc }));
    for (const use of [() => reader.index.watermark(), () => reader.index.commit([upsert(id, 'c')])]) {
      await assert.rejects(use, { code: 'incompatible', message: /does not follow commit .*the log has a hole/ });
    }
  });

  it('fail what needs a window that is missing', async function () {
    // It would else be waited for without an end.
    this.timeout(60_000);
    const [reader, writer] = await Promise.all([source.open(), source.open()]);
    const { id } = await writer.sets.bySlug(SLUG);
    for (let at = 0; at <= 2 * LIMITS.windowChanges; at++) await writer.index.commit([upsert(id, `k${at}`)]);
    assert.deepEqual(
      (await reader.index.windows(id, 0)).map(({ number }) => number),
      [1, 2, 3],
    );
    const second = { index: `${source.prefix}-ledgers`, id: `window-${id}-2` };
    await ask((client) => client.delete({ ...second, refresh: true }));
    await assert.rejects(reader.index.windows(id, 0), {
      code: 'unavailable',
      message: /window 2 of the set .* is missing/,
    });
  });

  /** Asks the server itself. */
  async function ask<Response>(call: (client: Client) => Promise<Response>): Promise<Response> {
    const cluster = new Cluster(readNodes(elasticsearch.url));
    try {
      return await cluster.ask(call);
    } finally {
      await cluster.close();
    }
  }
});

/** The last document of an answer to `_mget` could not be read. Not as too busy: that is waited for. */
const failingItem: Fault = async (execute) => {
  const { docs } = JSON.parse((await execute()).body.toString()) as { docs: readonly object[] };
  return answer({ docs: docs.with(-1, { error: { ...ITEM_ERROR, type: 'exception' } }) });
};

/** Every second line of a bulk request is a document; an action is the other one. */
function failedItems(lines: string): readonly object[] {
  const actions = lines.split('\n').filter((_line, at, all) => at % 2 === 0 && at < all.length - 1);
  return actions.map((action) => ({ [Object.keys(JSON.parse(action))[0]!]: { status: 429, error: ITEM_ERROR } }));
}

function answer(body: object): Answered {
  const headers = { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(body)) };
}

function outcomeOf(result: CommitResult): string {
  if (result.status === 'applied') return result.kind;
  return result.status === 'unchanged' ? result.reason : result.code;
}
