import assert from 'node:assert/strict';
import { join } from 'node:path';
import { FolderStore } from '../../src/artifacts/folder/folder-store.ts';
import { ArchiveChain } from '../../src/backup/archive-chain.ts';
import { archiveLog } from '../../src/backup/log-archive.ts';
import { rebuild } from '../../src/backup/rebuild-store.ts';
import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { collect } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { untilApplied } from '../support/fault-checks.ts';
import { type Asked, cutAnswer, cutRequest, type FaultProxy } from '../support/fault-proxy.ts';
import {
  createsCommit,
  createsCommitIn,
  first,
  holdFirst,
  makesSegment,
  openSegments,
  postedKeys,
  removesSegment,
  type SegmentsProcess,
  SHORT,
  StoredLog,
  seals,
} from '../support/log-segments.ts';

const LIMITS = { pageEntries: 1_000, windowChanges: 1_000 };

describe('the segments of the log on Elasticsearch', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  let writer: SegmentsProcess;
  let stored: StoredLog;

  beforeEach(async () => {
    source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    stored = new StoredLog(source);
    writer = await openSegments(source);
  });
  afterEach(async () => {
    try {
      await stored.requireWhole();
    } finally {
      await closeElasticsearchSources();
    }
  });

  /** A process that can be held at a request. It knows the log up to here. */
  async function openLate(): Promise<{ late: SegmentsProcess; proxy: FaultProxy }> {
    const proxy = await source.proxy();
    const late = await openSegments(source, { proxy });
    await late.post('before');
    await untilApplied(late.index);
    return { late, proxy };
  }
  const everySegmentIs = (most: number) => async () => {
    for (const segment of await stored.segments()) assert.ok((await stored.commitsIn(segment)).length <= most);
  };

  it('follow each other when they are full, and are read as one log by processes that begin now', async () => {
    const early = await openSegments(source);
    await writer.fill(70);
    await writer.post('last');
    assert.deepEqual((await stored.segments()).slice(0, 3), [1, 2, 3]);
    await everySegmentIs(SHORT.commits + SHORT.measureAfter + 1)();
    for (const reader of [early, await openSegments(source)]) {
      assert.equal(await reader.index.watermark(), await writer.index.watermark());
      assert.equal(await reader.post('last'), 'same-state');
    }
  });

  it('are written by several processes at once, each commit once', async () => {
    const processes = [writer, ...(await Promise.all([1, 2].map(() => openSegments(source))))];
    const keys = processes.map((_, process) => Array.from({ length: 30 }, (_, at) => `k${process}-${at}`));
    await Promise.all(
      processes.map(async ({ post }, at) => {
        for (const key of keys[at]!) assert.equal(await post(key), 'applied');
      }),
    );
    assert.deepEqual((await postedKeys(source)).toSorted(), keys.flat().toSorted());
    assert.ok((await stored.segments()).length >= 3);
  });

  it('are continued in the next one by a process that begins when the newest commit is a seal', async () => {
    const { late, proxy } = await openLate();
    const held = holdFirst(proxy, createsCommitIn(2));
    const filling = late.fill(30);
    await held.reached;
    // It is far behind, and continues at the pointer.
    const other = await openSegments(source);
    await untilApplied(other.index);
    assert.equal(await other.post('other'), 'applied');
    held.release();
    await filling;
    await untilApplied(late.index);
    assert.deepEqual(await postedKeys(source), ['before', 'other']);
  });

  it('that are dropped whole have no name any more that a process could use, and the log goes on', async () => {
    await writer.post('first');
    await writer.fill();
    const all = await stored.segments();
    const removed = await writer.removeSegments();
    assert.ok(removed >= 2, `${removed}`);
    assert.deepEqual(await stored.segments(), all.slice(removed));
    assert.equal(await writer.removeSegments(), 0);
    const aliases = await askElasticsearch(elasticsearch.url, 'GET', `${source.prefix}-ledgers/_alias`);
    const names = Object.keys(Object.values(aliases as Record<string, { aliases: object }>)[0]!.aliases);
    assert.ok(names.includes(`${source.prefix}-log-000001`), `${names}`);
    // A process that begins now, and one that knows only the first commits.
    assert.equal(await writer.post('next'), 'applied');
    const reader = await openSegments(source);
    assert.equal(await reader.post('first'), 'same-state');
    assert.deepEqual(await postedKeys(source), ['first', 'next']);
  });

  it('stay while one of their commits is not archived, young, or among the last', async () => {
    await writer.fill(70);
    const boundary = await writer.index.watermark();
    const drop = async (...args: Parameters<SegmentsProcess['index']['dropCommits']>) =>
      (await writer.index.dropCommits(...args)).removedSegments;
    // The newest commit that may go is in the first segment.
    assert.equal(await drop(boundary, { olderThan: 0 }), 0);
    await writer.fill(50);
    assert.equal(await drop(await writer.index.watermark()), 0);
    assert.equal(await drop(1, { olderThan: 0 }), 0);
    const [, second] = await stored.segments();
    const last = (await stored.commitsIn(1)).at(-1)!;
    assert.equal(second, 2);
    // Archived up to the middle of the second segment: the first one goes, and the second one stays.
    const archived = await stampOf(last + 3);
    assert.equal(await drop(archived, { olderThan: 0 }), 1);
    assert.equal((await stored.segments())[0], 2);
  });

  it('are left to a reader that was far behind: it goes on from the pointer', async () => {
    const { late } = await openLate();
    await writer.fill();
    assert.ok((await writer.removeSegments()) > 1);
    assert.equal(await late.index.watermark(), await writer.index.watermark());
    assert.equal(await late.post('before'), 'same-state');
    assert.equal(await late.post('after'), 'applied');
    assert.deepEqual(await postedKeys(source), ['before', 'after']);
  });

  describe('and a process that slept before it appended a commit', () => {
    for (const { title, meanwhile } of [
      { title: 'over a seal', meanwhile: () => writer.fill(40) },
      {
        title: 'over the removal of its segment',
        meanwhile: async () => {
          await writer.fill();
          assert.ok((await writer.removeSegments()) > 0);
        },
      },
    ]) {
      it(`${title}: the commit is after all others`, async () => {
        const { late, proxy } = await openLate();
        const held = holdFirst(proxy, createsCommit);
        const posting = late.post('late');
        await held.reached;
        await meanwhile();
        await writer.post('other');
        held.release();
        assert.equal(await posting, 'applied');
        assert.deepEqual(await postedKeys(source), ['before', 'other', 'late']);
      });
    }

    it('when the response to the commit was lost, and its segment is removed: it is not repeated', async () => {
      const { late, proxy } = await openLate();
      proxy.on(first(createsCommit), cutAnswer);
      const held = holdFirst(proxy, createsCommit);
      const posting = assert.rejects(late.postAt('late', 1), { code: 'unavailable' });
      await held.reached;
      await writer.fill();
      assert.ok((await writer.removeSegments()) > 0);
      held.release();
      await posting;
      assert.equal(await late.postAt('late', 1), 'repeated');
      assert.deepEqual(await postedKeys(source), ['before', 'late']);
    });
  });

  describe('and a process that slept', () => {
    /** Until the segment that the process is about to begin is full, and removed. */
    const overtake = async () => {
      await writer.fill();
      assert.ok((await writer.removeSegments()) > 1);
    };

    for (const { title, matches } of [
      { title: 'before it created the next segment', matches: makesSegment },
      { title: 'before it appended a seal', matches: seals },
    ]) {
      it(`${title}: it creates nothing in a segment that was removed`, async () => {
        const { late, proxy } = await openLate();
        const held = holdFirst(proxy, matches);
        const posting = late.fill(40).then(() => late.post('late'));
        await held.reached;
        await overtake();
        held.release();
        assert.equal(await posting, 'applied');
        assert.deepEqual(await postedKeys(source), ['before', 'late']);
      });

      it(`${title}: another process has ended the segment meanwhile`, async () => {
        const { late, proxy } = await openLate();
        const held = holdFirst(proxy, matches);
        const posting = late.fill(40).then(() => late.post('late'));
        await held.reached;
        await writer.fill(10);
        assert.ok((await stored.commitsIn(2)).length > 0);
        held.release();
        assert.equal(await posting, 'applied');
        assert.deepEqual(await postedKeys(source), ['before', 'late']);
      });
    }
  });

  for (const [what, fault] of Object.entries({ answer: cutAnswer, request: cutRequest })) {
    it(`end once when the ${what} of a seal is lost`, async () => {
      const { late, proxy } = await openLate();
      const lost = proxy.on(first(seals), fault);
      await late.fill(30);
      assert.equal(lost.met, 1);
      assert.equal((await stored.segments()).length, 2);
    });
  }

  it('are removed when the answer to that is lost', async () => {
    const { late, proxy } = await openLate();
    await late.fill();
    for (let lost = 0; lost < 3; lost++) proxy.on(first(removesSegment), cutAnswer);
    assert.ok((await late.removeSegments()) > 1);
    assert.ok((await stored.segments())[0]! > 2);
  });

  it('grow while the cluster refuses another index, and end when it does not any more', async () => {
    const { late, proxy } = await openLate();
    const refused = proxy.on(makesSegment, async () => noMoreShards());
    await late.fill(40);
    assert.ok(refused.met > 1);
    assert.deepEqual(await stored.segments(), [1]);
    refused.remove();
    await late.fill(10);
    assert.deepEqual(await stored.segments(), [1, 2]);
  });

  describe('and a survey', () => {
    const surveys = ({ path, body }: Asked) => path.includes('-resources/_search') && body.includes('"stored_fields"');
    const survey = ({ index, set }: SegmentsProcess) => index.survey(set, {}, { entries: 100, weight: 1_000_000 });

    it('shows the states at its boundary when they are in later segments', async () => {
      const { late, proxy } = await openLate();
      const { pieces } = await survey(late);
      const held = holdFirst(proxy, surveys);
      const surveying = survey(late);
      await held.reached;
      await writer.fill(60);
      for (const key of ['before', 'new']) await writer.post(key, 123_456_789);
      await untilApplied(writer.index);
      assert.ok((await stored.segments()).length > 3);
      held.release();
      assert.deepEqual((await surveying).pieces, pieces);
    });

    it('fails, and does not show others, when these segments were removed', async () => {
      const { late, proxy } = await openLate();
      const held = holdFirst(proxy, surveys);
      const surveying = assert.rejects(survey(late), { code: 'unavailable', message: /was dropped from the log/ });
      await held.reached;
      await writer.post('before', 123_456_789);
      await writer.fill();
      assert.ok((await writer.removeSegments()) > 1);
      held.release();
      await surveying;
    });
  });

  it('make the same store again from the archive when they were removed', async () => {
    const artifacts = new FolderStore(join(source.folder, 'artifacts'));
    const other = await ElasticsearchSource.makeEmpty(elasticsearch.url);
    try {
      await writer.fill(60);
      await archiveLog({ stores: writer, artifacts });
      await writer.fill(60);
      const { mark, chain } = await archiveLog({ stores: writer, artifacts });
      const { removedSegments } = await writer.index.dropCommits(mark!.through, { olderThan: 0 });
      assert.ok(removedSegments > 1);
      const stores = await openElasticsearch(other.location(), { segmentLimits: SHORT });
      other.onClose(stores.close);
      await rebuild({ stores, name: 'the store', artifacts, chain: new ArchiveChain(artifacts, chain) });
      for (const read of [logOf, statesOf(writer.set)]) assert.deepEqual(await read(stores), await read(writer));
    } finally {
      await artifacts.close();
    }
  });

  async function stampOf(commit: number): Promise<number> {
    for (const segment of await stored.segments()) {
      const path = `${source.prefix}-log-${String(segment).padStart(6, '0')}-open/_mget`;
      const { docs } = (await askElasticsearch(elasticsearch.url, 'POST', path, { ids: [commit] })) as {
        docs: { found: boolean; _source?: { stamp: number } }[];
      };
      if (docs[0]!.found) return docs[0]!._source!.stamp;
    }
    return assert.fail(`there is no commit ${commit}`);
  }
});

const logOf = ({ index }: Pick<Stores, 'index'>) => collect(index.log({ after: 0 }));
const statesOf =
  (set: number) =>
  ({ index }: Pick<Stores, 'index'>) =>
    collect(index.read(set, {}));

function noMoreShards() {
  const error = { type: 'validation_exception', reason: 'this action would add [2] shards, but this cluster has …' };
  return {
    status: 400,
    headers: { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' },
    body: Buffer.from(JSON.stringify({ error, status: 400 })),
  };
}
