import assert from 'node:assert/strict';
import { MAX_ENTRIES, MAX_ENTRIES_WEIGHT } from '../../../src/core/resource-set.ts';
import { clockStamp, formatStamp, type Stamp } from '../../../src/core/stamp.ts';
import { withArchive } from '../../../src/publish/archive-documents.ts';
import type { RenderTask } from '../../../src/publish/cache/document-cache.ts';
import { type DocumentReference, fingerprint } from '../../../src/publish/cache/document-reference.ts';
import { FreshDocuments } from '../../../src/publish/cache/fresh-documents.ts';
import { ChangeLists } from '../../../src/publish/change-lists.ts';
import { type DocumentPlan, publish, type RequestedRange } from '../../../src/publish/document-plan.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import type { ChangesJob } from '../../../src/publish/render/render-job.ts';
import type { ResourceIndex } from '../../../src/stores/resource-index.ts';
import { upsert } from '../../support/builders.ts';
import { PublishedSets, withAfter } from '../../support/published-sets.ts';

const HOUR = 3_600_000_000;

interface ExpectedChanges extends Pick<ChangesJob, 'after' | 'until' | 'head'> {
  readonly name: string;
  readonly newest: Stamp;
  readonly immutable?: boolean;
}

/** Remembers what it was asked for last. */
class LastDocument extends FreshDocuments {
  reference: DocumentReference | undefined;
  task: RenderTask | undefined;

  override get(reference: DocumentReference, task: () => RenderTask) {
    this.reference = reference;
    this.task = task();
    return super.get(reference, task);
  }
}

describe('The Change Lists of a set', () => {
  let sets: PublishedSets;
  let documents: LastDocument;
  let lists: ReturnType<typeof listsOf>;
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());
  beforeEach(() => {
    documents = new LastDocument(sets.index);
    lists = listsOf(sets.index);
  });

  /** Publishes what is planned. */
  function listsOf(index: ResourceIndex) {
    const planned = new ChangeLists(index);
    const made = async (plan: Promise<DocumentPlan>) => publish(documents, await plan);
    return {
      list: (set: PublishedSet) => made(planned.list(set)),
      recent: (set: PublishedSet) => made(planned.recent(set)),
      window: (set: PublishedSet, name: string) => made(planned.window(set, name)),
      between: (set: PublishedSet, range: RequestedRange) => made(planned.between(set, range)),
    };
  }

  /** Commits changes of new resources one by one. Returns their stamps. */
  async function commit({ set }: PublishedSet, count: number, weight = 100): Promise<Stamp[]> {
    const last = (await sets.index.summary(set.id)).changes;
    const events = Array.from({ length: count }, (_, at) => ({ ...upsert(set.id, `${last + at}`), weight }));
    return sets.commit(...events);
  }

  /** What a document of changes is asked for as. */
  function expected(
    { set, folder, style, fingerprint }: PublishedSet,
    { name, newest, immutable = false, ...job }: ExpectedChanges,
  ) {
    return {
      reference: { folder, name, version: newest, fingerprint },
      task: { newest, immutable, job: { kind: 'changes', set: set.id, style, ...job } },
    };
  }
  const asked = () => ({ reference: documents.reference, task: documents.task });

  describe('as a whole', () => {
    it('are an open list from the start of the history, also without a change', async () => {
      const published = await sets.add();
      const { capabilityList } = published.uris;
      const from = published.set.epochStart;
      const archives = published.uris.changeListArchive;
      const head = { from, capabilityList, archives };
      const { newest } = await lists.list(published);
      assert.equal(newest, from - 1);
      const name = 'changelist';
      const archived = withArchive(published, archives);
      assert.deepEqual(asked(), expected(archived, { name, newest: from - 1, after: from, until: from, head }));

      const [, , last] = (await commit(published, 3)) as [Stamp, Stamp, Stamp];
      assert.equal((await lists.list(published)).newest, last);
      assert.deepEqual(asked(), expected(archived, { name, newest: last, after: from, until: last + 1, head }));
    });

    it('are an index over windows when there are several, of which only the last is open', async () => {
      const published = await sets.add();
      const { set, uris, folder } = published;
      const { fingerprint } = withArchive(published, uris.changeListArchive);
      const stamps = await commit(published, 7);
      assert.equal((await lists.list(published)).newest, stamps[6]);
      const [from, second, third] = [set.epochStart, stamps[3]! - 1, stamps[6]! - 1];
      assert.deepEqual(asked(), {
        reference: { folder, name: 'changelist-index', version: stamps[6], fingerprint },
        task: {
          newest: stamps[6],
          job: {
            kind: 'change-list-index',
            document: {
              from,
              capabilityList: uris.capabilityList,
              archives: uris.changeListArchive,
              windows: [
                { uri: uris.changeWindow('1-00000001'), from, until: second },
                { uri: uris.changeWindow('1-00000002'), from: second, until: third },
                { uri: uris.changeWindow('1-00000003'), from: third },
              ],
            },
          },
        },
      });
    });

    it('begin again with the epoch', async () => {
      const first = await sets.add();
      await commit(first, 7);
      const published = await sets.put({ ...first.set, epoch: 2, epochStart: await sets.index.mark() });
      const [last] = await commit(published, 1);
      await lists.list(published);
      assert.deepEqual([documents.reference?.name, documents.task?.newest], ['changelist', last]);
      const { job } = documents.task!;
      assert.ok(job.kind === 'changes');
      assert.deepEqual([job.after, job.head.from], [published.set.epochStart, published.set.epochStart]);
    });

    it('leave to the next request what is committed meanwhile', async () => {
      const published = await sets.add();
      const [, , last] = await commit(published, 3);
      const index = withAfter(sets.index, 'summary', () => commit(published, 1));
      await listsOf(index).list(published);
      assert.deepEqual([documents.reference?.name, documents.task?.newest], ['changelist', last]);
    });

    it('are not older than a change of the hashes that they contain', async () => {
      const published = await sets.add();
      const [last] = (await commit(published, 1)) as [Stamp];
      const withHashes = { ...published, set: { ...published.set, hashesSince: last + 101 } };
      assert.equal((await lists.list(withHashes)).newest, last + 101);
    });
  });

  it('have one of the newest changes', async () => {
    const published = await sets.add();
    const { set, uris, style, folder, fingerprint } = published;
    const [, last] = (await commit(published, 2)) as [Stamp, Stamp];
    await lists.recent(published);
    assert.deepEqual(asked(), {
      reference: { folder, name: 'changelist-recent', version: last, fingerprint },
      task: {
        newest: last,
        job: {
          kind: 'recent-changes',
          set: set.id,
          epochStart: set.epochStart,
          until: last + 1,
          limits: { entries: MAX_ENTRIES, weight: MAX_ENTRIES_WEIGHT },
          capabilityList: uris.capabilityList,
          style,
        },
      },
    });
  });

  it('have at most 50,000 entries, of changes as well as of windows @long', async () => {
    const published = await sets.add({ windowChanges: 1 });
    const stamps = await commit(published, MAX_ENTRIES + 1);
    const [first, second, third] = stamps as [Stamp, Stamp, Stamp];
    const last = stamps.at(-1)!;
    const all = { from: undefined, until: undefined };
    assert.equal((await lists.between(published, all)).next, last - 1);
    assert.equal((await lists.between(published, { ...all, from: second })).next, undefined);

    await lists.list(published);
    const { job } = documents.task!;
    assert.ok(job.kind === 'change-list-index');
    const { from, windows } = job.document;
    assert.ok(first < from, 'the first window is left out');
    assert.deepEqual([from, windows.length], [second - 1, MAX_ENTRIES]);
    const { uris } = published;
    assert.deepEqual(windows.slice(0, 2), [
      { uri: uris.changeWindow('1-00000002'), from: second - 1, until: third - 1 },
      { uri: uris.changeWindow('1-00000003'), from: third - 1, until: stamps[3]! - 1 },
    ]);
  });

  describe('of one window', () => {
    it('are closed when another window has begun', async () => {
      const published = await sets.add();
      const { capabilityList, changeList: index } = published.uris;
      const from = published.set.epochStart;
      const stamps = await commit(published, 8);
      const [second, third] = [stamps[3]! - 1, stamps[6]! - 1];
      const window = (name: string, after: Stamp, until: Stamp) =>
        expected(published, {
          name: `changelist-${name}-closed`,
          newest: until - 1,
          immutable: true,
          after,
          until,
          head: { from: after, capabilityList, index, until },
        });
      assert.equal((await lists.window(published, '1-00000001')).immutable, true);
      assert.deepEqual(asked(), window('1-00000001', from, second));
      await lists.window(published, '1-00000002');
      assert.deepEqual(asked(), window('1-00000002', second, third));

      assert.equal((await lists.window(published, '1-00000003')).immutable, false);
      const head = { from: third, capabilityList, index };
      const [name, newest] = ['changelist-1-00000003', stamps[7]!];
      assert.deepEqual(asked(), expected(published, { name, newest, after: third, until: newest + 1, head }));
    });

    it('are not found when there is no such window', async () => {
      const published = await sets.add();
      await commit(published, 1);
      const name = '1-00000002';
      await assert.rejects(lists.window(published, name), { code: 'not-found', details: { name } });
    });
  });

  describe('of a time', () => {
    const between = async (published: PublishedSet, from?: Stamp, until?: Stamp) => {
      const { next } = await lists.between(published, { from, until });
      const { job, newest, immutable } = documents.task!;
      assert.ok(job.kind === 'changes');
      assert.deepEqual(documents.reference, {
        folder: published.folder,
        name: 'changelist-between',
        version: newest,
        fingerprint: fingerprint(published.fingerprint, job.head.from, job.head.until),
      });
      assert.equal(job.after, job.head.from);
      assert.equal(job.head.capabilityList, published.uris.capabilityList);
      return { from: job.after, until: job.until, ends: job.head.until, newest, immutable, next };
    };

    it('are open unless their end has come', async () => {
      const published = await sets.add();
      const [first, second, last] = (await commit(published, 3)) as [Stamp, Stamp, Stamp];
      const from = published.set.epochStart;
      const open = { from, until: last + 1, ends: undefined, newest: last, immutable: false, next: undefined };
      assert.deepEqual(await between(published), open);
      assert.deepEqual(await between(published, undefined, last + 1), open);
      assert.deepEqual(await between(published, second), { ...open, from: second - 1 });
      assert.deepEqual(await between(published, from - 100, last + 1), open, 'from the start of the history');
      const closed = { from, immutable: true, next: undefined };
      const ofAll = { ...closed, until: last + 1, ends: last + 1, newest: last };
      assert.deepEqual(await between(published, undefined, last), ofAll);
      const ofOne = { ...closed, from: first - 1, until: first + 1, ends: first + 1, newest: first };
      assert.deepEqual(await between(published, first - 1, first), ofOne);
    });

    it('are as many as a document may contain', async () => {
      const published = await sets.add();
      const half = MAX_ENTRIES_WEIGHT / 2;
      const [, , third, , last] = (await commit(published, 5, half)) as [Stamp, Stamp, Stamp, Stamp, Stamp];
      const from = published.set.epochStart;
      const next = third - 1;
      const part = { from, until: next, ends: next, newest: next - 1, immutable: true, next };
      assert.deepEqual(await between(published), part);
      assert.deepEqual(await between(published, undefined, third), part);
      const two = { ...part, ends: third - 1, next: undefined };
      assert.deepEqual(await between(published, undefined, third - 1), two, 'both fit');
      const rest = { from: last - 3, until: last + 1, ends: undefined, newest: last, immutable: false };
      assert.deepEqual(await between(published, last - 3), { ...rest, next: undefined });
    });

    it('are as many as a document may contain when the last change is one too many', async () => {
      const published = await sets.add();
      const [, , last] = (await commit(published, 3, MAX_ENTRIES_WEIGHT / 2)) as [Stamp, Stamp, Stamp];
      assert.equal((await between(published)).next, last - 1);
    });

    it('are refused when it has not come, ends before it begins, or before the history begins', async () => {
      const published = await sets.add();
      await commit(published, 1);
      const begins = published.set.epochStart;
      const refused = (code: string, field: string, details: object = {}) => ({
        code: 'invalid',
        details: { code, field, ...details },
      });
      const ask = (from: Stamp | undefined, until?: Stamp) => lists.between(published, { from, until });
      await assert.rejects(ask(clockStamp() + HOUR), refused('future', 'from'));
      await assert.rejects(ask(begins, begins - 1), refused('order', 'until'));
      await assert.rejects(ask(begins, begins), refused('order', 'until'));
      const early = refused('before-history', 'until', { begins: formatStamp(begins) });
      await assert.rejects(ask(begins - 10, begins - 9), early);
      await assert.rejects(ask(undefined, begins), early);
      await ask(undefined, begins + 1);
      await ask(begins, begins + 1);
    });

    it('may begin now, and where the history is when that is ahead of the clock', async () => {
      const published = await sets.add();
      await lists.between(published, { from: clockStamp(), until: undefined });
      const epochStart = published.set.epochStart + HOUR;
      const ahead = { ...published, set: { ...published.set, epochStart } };
      await lists.between(ahead, { from: epochStart, until: undefined });
      await assert.rejects(lists.between(ahead, { from: epochStart + 1, until: undefined }), { code: 'invalid' });
    });
  });
});
