import assert from 'node:assert/strict';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import { collect, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { refuse } from '../support/elasticsearch-refusal.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import {
  type Asked,
  cutAnswer,
  cutInTheMiddle,
  cutRequest,
  type Fault,
  type FaultProxy,
} from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';

const LIMITS = { pageEntries: 20, windowChanges: 10 };

/** Milliseconds of a request where one of them is to take longer: all others must be answered by then. */
const TIMEOUT = 3_000;

const creates = ({ path }: Asked) => /-log-\d+-open\/_create\//.test(path);
const confirms = ({ method, path }: Asked) => method === 'PUT' && /-log-\d+-open\/_doc\//.test(path);
const readsLog = ({ method, path }: Asked) => method === 'GET' && /-log-\d+-open\/_doc\//.test(path);

const searches = ({ path }: Asked) => path.includes('-resources/_search');

const neverAnswers: Fault = async (execute) => {
  await execute();
  return 'silence';
};

const FAULTS: Readonly<Record<string, Fault>> = {
  'is cut': cutAnswer,
  'is cut in the middle': cutInTheMiddle,
  'never comes since the request is cut': cutRequest,
  'is 503': refuse(503),
  'is 429': refuse(429),
  'does not come in time': neverAnswers,
};

describe('the answer of Elasticsearch to an appended commit', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  let proxy: FaultProxy;
  let key = 0;
  before(async () => {
    source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    proxy = await source.proxy();
  });
  // Every test has a resource of its own.
  beforeEach(() => {
    key += 1;
  });
  after(closeElasticsearchSources);

  for (const [what, fault] of Object.entries(FAULTS)) {
    it(`makes no entry twice, and loses none, when it ${what}`, async () => {
      const { index, event } = await open(fault === neverAnswers ? TIMEOUT : undefined);
      proxy.on(once(creates), fault);
      const results = await index.commit([event(1)]);
      assert.equal(results[0]?.status, 'applied');
      await index.commit([event(2)]);
      assert.deepEqual(await lengths(), [1, 2]);
    });
  }

  it('makes no entry twice, and loses none, when it does not come in time as the request is executed late', async () => {
    const { index, event } = await open(TIMEOUT);
    const late = holdOne();
    const results = await index.commit([event(1)]);
    assert.equal(results[0]?.status, 'applied');
    await index.commit([event(2)]);
    assert.equal(await late.execute(), 409);
    assert.deepEqual(await lengths(), [1, 2]);
  });

  it('is asked for again until the commit is confirmed', async () => {
    const { index, event } = await open();
    const faults = [creates, readsLog, confirms, confirms].map((matches) => proxy.on(once(matches), cutAnswer));
    await index.commit([event(1)]);
    assert.deepEqual(
      faults.map(({ met }) => met),
      [1, 1, 1, 1],
    );
    assert.deepEqual(await lengths(), [1]);
  });

  it('is asked for again after a short time', async () => {
    const { index, event } = await open();
    const took: number[] = [];
    for (const length of [1, 2, 3]) {
      proxy.on(once(creates), cutRequest);
      const began = performance.now();
      await index.commit([event(length)]);
      took.push(performance.now() - began);
    }
    // A machine may be paused for longer, but hardly each time.
    assert.ok(Math.min(...took) < 2_000, `it took ${took} ms`);
  });

  it('may leave it open whether it was committed: then it is an error, and may be posted again', async () => {
    const { index, event } = await open();
    const posted = { ...event(1), source: 'test', position: 1 };
    const executed = proxy.on(once(creates), cutAnswer);
    const blocked = proxy.on(creates, async () => blockedIndex());
    await assert.rejects(index.commit([posted]), { code: 'unavailable' });
    assert.equal(executed.met, 1);
    blocked.remove();

    assert.deepEqual(await index.commit([posted]), [{ status: 'unchanged', reason: 'repeated' }]);
    assert.deepEqual(await lengths(), [1]);
  });

  it('brings back nothing when it was given up, and is executed after others have written', async () => {
    const [slow, quick] = [await open(TIMEOUT), await open()];
    const held = holdOne();
    const blocked = proxy.on(creates, async () => blockedIndex());
    await assert.rejects(slow.index.commit([slow.event(1)]), { code: 'unavailable' });
    blocked.remove();
    await quick.index.commit([quick.event(2)]);
    assert.equal(await held.execute(), 409);
    await slow.index.commit([slow.event(3)]);
    assert.deepEqual(await lengths(), [2, 3]);
  });

  it('is not a page when it is cut off within documents', async () => {
    const { index, id } = await open();
    await index.commit(Array.from({ length: 50 }, (_, at) => upsert(id, `page${at}`)));
    const read = () => collect(index.read(id, { from: '/page', to: '/pagf' }));
    proxy.on(once(searches), cutInTheMiddle);
    assert.equal((await read()).length, 50);
    const always = proxy.on(searches, cutInTheMiddle);
    await assert.rejects(read(), { code: 'unavailable' });
    always.remove();
  });

  async function open(requestTimeoutMs?: number) {
    const { index, catalog, close } = await openElasticsearch(source.location(proxy.url), { requestTimeoutMs });
    source.onClose(close);
    const { id } = await new SetRegistry(catalog, index).bySlug(SLUG);
    // It knows the log, so that the number that it creates is the next.
    await index.watermark();
    return { index, id, event: (length: number) => upsert(id, `k${key}`, { length }) };
  }

  /** Keeps the next request that appends a commit until `execute` is called, which returns the status of its answer. */
  function holdOne(): { execute(): Promise<number> } {
    const mayGo = Promise.withResolvers<void>();
    const executed = Promise.withResolvers<number>();
    proxy.on(once(creates), async (execute) => {
      await mayGo.promise;
      const answer = await execute();
      executed.resolve(answer.status);
      return answer;
    });
    return {
      execute() {
        mayGo.resolve();
        return executed.promise;
      },
    };
  }

  /** Of all changes of the test's resource, as a server sees them that has had no faults. */
  async function lengths() {
    const { index, sets } = await source.open();
    const { id } = await sets.bySlug(SLUG);
    const changes = await collect(index.changes(id, { after: 0 }));
    return changes.filter((change) => change.key === `/k${key}`).map(({ state }) => state?.length);
  }
});

function once(matches: (asked: Asked) => boolean): (asked: Asked) => boolean {
  let met = false;
  return (asked) => {
    if (met || !matches(asked)) return false;
    met = true;
    return true;
  };
}

function blockedIndex() {
  const error = { type: 'cluster_block_exception', reason: 'index [log] blocked by: [FORBIDDEN/12/…]' };
  return {
    status: 403,
    headers: { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' },
    body: Buffer.from(JSON.stringify({ error })),
  };
}
