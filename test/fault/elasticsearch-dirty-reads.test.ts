import assert from 'node:assert/strict';
import { isTidemarkError } from '../../src/core/errors.ts';
import { collect } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { untilApplied } from '../support/fault-checks.ts';
import type { Answered, Asked, Fault, FaultProxy } from '../support/fault-proxy.ts';
import {
  createsCommit,
  first,
  openSegments,
  postedKeys,
  type SegmentsProcess,
  StoredLog,
} from '../support/log-segments.ts';

const LIMITS = { pageEntries: 20, windowChanges: 10 };
/** The number of the commit after those of every test. */
const NEXT = 3;
/** More than the commits of one process can be confirmed without meeting another one that does the same. */
const PROCESSES = 8;
const ROUNDS = 5;

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');
const readsLog = ({ path, body }: Asked) => path.startsWith('/_mget') && /-log-\d+-open/.test(body);
const confirms = ({ method, path }: Asked) => method === 'PUT' && /-log-\d+-open\/_doc\//.test(path);
const readsCommit = ({ method, path }: Asked) => method === 'GET' && /-log-\d+-open\/_doc\//.test(path);

/** Of a document that only one node has: no other one has this number of a write. */
const ONLY_HERE = { _version: 1, _seq_no: 1_000_000, _primary_term: 1, found: true };

interface Lost {
  readonly _source: object;
}

interface LogDocument {
  readonly uuid: string;
  readonly changes: object;
}

describe('a node of Elasticsearch that was cut off, and shows what no other one has', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  let proxy: FaultProxy;
  /** A process whose reads of the log meet that node. */
  let store: SegmentsProcess;
  /** One whose reads do not. */
  let other: SegmentsProcess;

  beforeEach(async () => {
    source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    proxy = await source.proxy();
    store = await openSegments(source, { proxy });
    other = await openSegments(source);
    await store.post('kept');
    await Promise.all([untilApplied(store.index), untilApplied(other.index)]);
  });
  afterEach(closeElasticsearchSources);

  it('makes no event count as posted, is not applied, and leaves no hole', async () => {
    const shown = await showLost();
    await assert.rejects(store.index.committed(), isDisagreement);
    await assert.rejects(store.index.watermark(), isDisagreement);
    await assert.rejects(store.post('kept'), isDisagreement);
    assert.ok(shown.met > 3);
    assert.equal(await store.postAt('lost', 1), 'applied');
    shown.remove();

    assert.equal(await store.postAt('lost', 1), 'repeated');
    assert.equal(await store.post('kept'), 'same-state');
    await requireLog(['kept', 'lost']);
  });

  it('is not followed, nor believed to be damaged, when the node is not asked for later commits', async () => {
    const shown = await showLost();
    await other.post('first');
    await other.post('second');
    await assert.rejects(store.index.committed(), isDisagreement);
    await assert.rejects(store.post('kept'), isDisagreement);
    shown.remove();
    assert.equal(await store.post('first'), 'same-state');
    await requireLog(['kept', 'first', 'second']);
  });

  it('may refuse a commit for one that is not there: it is appended after all', async () => {
    const refused = proxy.on(first(createsCommit), conflict);
    assert.equal(await store.post('late'), 'applied');
    assert.equal(refused.met, 1);
    await requireLog(['kept', 'late']);
  });

  it('may refuse a commit for one that it shows: then it is an error, and may be posted again', async () => {
    const lost = await lostCommit();
    const refused = proxy.on(createsCommit, conflict);
    const shown = [
      await showLost(lost),
      proxy.on(readsCommit, async () => answer(200, { _id: String(NEXT), ...ONLY_HERE, ...lost })),
    ];
    await assert.rejects(store.postAt('lost', 1), isDisagreement);
    for (const rule of [refused, ...shown]) rule.remove();
    assert.equal(await store.postAt('lost', 1), 'applied');
    await requireLog(['kept', 'lost']);
  });

  it('takes no process back to an old pointer', async () => {
    const dropped = proxy.on(readsLog, async (execute) =>
      changeDocs(await execute(), ([pointer, commit]) => [
        pointer!,
        { ...commit, ...ONLY_HERE, _source: { changes: { rows: [], dropped: true } } },
      ]),
    );
    await assert.rejects(store.index.committed(), isDisagreement);
    assert.ok(dropped.met < 20, `it was read ${dropped.met} times`);
    dropped.remove();
    assert.equal(await store.post('late'), 'applied');
    await requireLog(['kept', 'late']);
  });

  it('is no reason to write commits that are applied: a process that reads them does not need to write', async () => {
    await other.post('late');
    await untilApplied(other.index);
    const written = proxy.on(confirms, (execute) => execute());
    assert.equal(await store.index.committed(), await other.index.committed());
    assert.equal(written.met, 0);
  });

  it('is no reason to refuse when processes find a commit that is on all copies at the same time', async () => {
    const writer = await source.proxy();
    const processes = await Promise.all(Array.from({ length: PROCESSES }, () => openSegments(source)));
    const poster = await openSegments(source, { proxy: writer });
    // Until it is applied, a commit may be on one copy only.
    const mayApply = Promise.withResolvers<void>();
    writer.on(isBulk, (execute) => mayApply.promise.then(execute));
    for (let round = 1; round <= ROUNDS; round++) {
      await poster.post('often', round);
      const expected = await poster.index.committed();
      const read = await Promise.all(processes.map(({ index }) => index.committed()));
      assert.deepEqual(new Set(read), new Set([expected]));
    }
    mayApply.resolve();
    await requireLog(['kept']);
  });

  /** Shows another commit as the next one to `store` whenever it reads the log, as if only one node had it. */
  async function showLost(commit?: Lost) {
    const lost = commit ?? (await lostCommit());
    const asksFor = (asked: Asked) => readsLog(asked) && asked.body.includes(`"_id":"${NEXT}"`);
    return proxy.on(asksFor, async (execute) =>
      changeDocs(await execute(), ([pointer, commit]) => [pointer!, { ...commit, ...ONLY_HERE, ...lost }]),
    );
  }

  /** A commit of another log, changed so that it could be one of this log. */
  async function lostCommit(): Promise<Lost> {
    const elsewhere = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const { post, postAt, index } = await openSegments(elsewhere);
    await post('kept');
    await postAt('lost', 1);
    await untilApplied(index);
    const [lost, before] = [await logDocument(elsewhere, NEXT), await logDocument(source, NEXT - 1)];
    const text = JSON.stringify({ ...lost, after: before.uuid });
    return { _source: JSON.parse(text.replaceAll(elsewhere.prefix, source.prefix)) };
  }

  async function logDocument({ prefix }: ElasticsearchSource, number: number): Promise<LogDocument> {
    const path = `${prefix}-log-000001-open/_doc/${number}`;
    return ((await askElasticsearch(elasticsearch.url, 'GET', path)) as unknown as { _source: LogDocument })._source;
  }

  /** Log, changes and states have these keys, and the log has no hole. */
  async function requireLog(keys: readonly string[]): Promise<void> {
    await Promise.all([untilApplied(store.index), untilApplied(other.index)]);
    assert.deepEqual(await postedKeys(source), keys);
    for (const { index, set } of [store, other]) {
      const states = await collect(index.read(set, {}));
      assert.deepEqual(
        states.map(({ key }) => key.slice(1)).filter((key) => key !== 'often'),
        keys.toSorted(),
      );
    }
    await new StoredLog(source).requireWhole();
  }
});

function isDisagreement(error: unknown): boolean {
  return isTidemarkError(error, 'unavailable') && error.message.includes('do not agree about the log');
}

const conflict: Fault = async () =>
  answer(409, { error: { type: 'version_conflict_engine_exception', reason: 'document already exists' }, status: 409 });

type Docs = readonly object[];

/** Changes the documents of a response to `_mget`. */
function changeDocs({ status, headers, body }: Answered, change: (docs: Docs) => Docs): Answered {
  const { docs } = JSON.parse(body.toString()) as { readonly docs: Docs };
  return { status, headers, body: Buffer.from(JSON.stringify({ docs: change(docs) })) };
}

function answer(status: number, body: object): Answered {
  const type = 'application/vnd.elasticsearch+json;compatible-with=8';
  return {
    status,
    headers: { 'content-type': type, 'x-elastic-product': 'Elasticsearch' },
    body: Buffer.from(JSON.stringify(body)),
  };
}
