import assert from 'node:assert/strict';
import type { LogChange } from '../../src/artifacts/avro/avro-schemas.ts';
import { RecordDigest } from '../../src/backup/catalog-documents.ts';
import { ChangeDigest, toLogChange } from '../../src/backup/change-rows.ts';
import { writeFile } from '../../src/backup/file-writer.ts';
import type { Archived } from '../../src/backup/log-archive.ts';
import { requireUnderWay, requireWhole } from '../../src/backup/rebuild-state.ts';
import { type RebuildInput, type RebuildProgress, rebuild } from '../../src/backup/rebuild-store.ts';
import { replayChanges, replayOrders } from '../../src/backup/replay.ts';
import { openSets, putDocuments, setsOf } from '../../src/backup/restore-documents.ts';
import type { SegmentMark } from '../../src/backup/segment.ts';
import { verifyRebuilt } from '../../src/backup/verify-rebuilt.ts';
import { type ErrorCode, isTidemarkError, TidemarkError } from '../../src/core/errors.ts';
import { clockStamp } from '../../src/core/stamp.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import type { ResourceIndex } from '../../src/stores/resource-index.ts';
import { useArchivedStores } from '../support/archived-stores.ts';
import { collect, deletion, upsert } from '../support/builders.ts';
import { withAfter } from '../support/published-sets.ts';

const fails = (code: ErrorCode, text: string | RegExp = '') => {
  return (error: unknown) => isTidemarkError(error, code) && error.message.search(text) >= 0;
};
const logOf = ({ index }: Stores) => collect(index.log({ after: 0 }));

describe('a store rebuilt from an archive without any change', () => {
  const place = useArchivedStores();

  it('has its sets', async () => {
    const archived = await place.archive();
    const made = await place.open();
    const { artifacts } = place;
    const rebuilt = await rebuild({ stores: made, name: 'the store', artifacts, chain: place.chain(archived) });
    const sets = [{ set: 'maps', epoch: 1 }];
    const { chain } = archived;
    assert.deepEqual(rebuilt, { archive: chain, segments: 1, changes: 0, lastChange: undefined, sets, renewed: false });
    assert.deepEqual(await logOf(made), []);
  });
});

describe('a rebuilt store', () => {
  const place = useArchivedStores();
  let archived: Archived;
  let made: Stores;

  beforeEach(async () => {
    const { index } = place.stores;
    await index.commit([upsert(place.maps, 'a'), upsert(place.maps, 'b')]);
    await place.archive();
    await place.sets.change('maps', { private: true });
    await place.archive();
    await index.commit([upsert(place.maps, 'a', { length: 7 }), deletion(place.maps, 'b')]);
    await index.commit([{ ...deletion(place.maps, 'none'), source: 'h', position: 4 }]);
    archived = await place.archive();
    made = await place.open();
  });

  const make = (more: Partial<RebuildInput> = {}) =>
    rebuild({ stores: made, name: 'the store', artifacts: place.artifacts, chain: place.chain(archived), ...more });
  const marksOf = () => place.chain(archived).all();

  const storedSet = async () => {
    const [set] = await place.stores.catalog.list('set');
    return { kind: 'set', id: set!.id, body: JSON.stringify(set!.body) };
  };

  it('has the log, the states, the positions and the catalog that were archived', async () => {
    const steps: RebuildProgress[] = [];
    const rebuilt = await make({ onProgress: (progress) => steps.push(progress) });
    const { last } = archived.mark!;
    assert.deepEqual(rebuilt, {
      archive: archived.chain,
      segments: 3,
      changes: 4,
      lastChange: last?.stamp,
      sets: [{ set: 'maps', epoch: 1 }],
      renewed: false,
    });
    assert.deepEqual(
      steps.map(({ step, done, total }) => [step, done, total]),
      [
        ['replaying', 2, 4],
        ['replaying', 4, 4],
        ['comparing', 2, 4],
        ['comparing', 4, 4],
      ],
    );
    assert.deepEqual(await logOf(made), await logOf(place.stores));
    assert.deepEqual(await made.index.positions(), await place.stores.index.positions());
    assert.deepEqual(
      await collect(made.index.read(place.maps, {})),
      await collect(place.stores.index.read(place.maps, {})),
    );
    for (const kind of ['set', 'source'] as const) {
      const bodies = async ({ catalog }: Stores) => (await catalog.list(kind)).map(({ id, body }) => [id, body]);
      assert.deepEqual(await bodies(made), await bodies(place.stores));
    }
    const next = await place.archive({ stores: made });
    assert.deepEqual([next.chain, next.status, next.mark?.number], [archived.chain, 'nothing-new', 3]);
  });

  it('has the orders of keys, also those that rose without a change', async () => {
    const { index } = place.stores;
    await index.commit([
      { ...upsert(place.maps, 'a', { length: 7 }), order: 3 },
      { ...upsert(place.maps, 'c'), order: 1 },
      { ...deletion(place.maps, 'never'), order: 5 },
    ]);
    await place.archive();
    await index.commit([
      { ...upsert(place.maps, 'c'), order: 2 },
      { ...upsert(place.maps, 'a', { length: 8 }), order: 4 },
      { ...upsert(place.maps, 'd'), order: 6 },
    ]);
    await index.commit([{ ...upsert(place.maps, 'c'), order: 9 }]);
    archived = await place.archive();
    await make();
    assert.deepEqual(await logOf(made), await logOf(place.stores));
    const keys = ['/a', '/b', '/c', '/d', '/never'];
    assert.deepEqual(await made.index.lookup(place.maps, keys), await index.lookup(place.maps, keys));
    const late = ['a', 'c', 'd', 'never'].map((name, at) => ({
      ...upsert(place.maps, name, { length: 99 }),
      order: [3, 8, 5, 4][at]!,
    }));
    for (const result of await made.index.commit(late)) {
      assert.deepEqual(result, { status: 'unchanged', reason: 'superseded' });
    }
  });

  it('gets at most 10,000 changes with one commit, of however many a segment has', async () => {
    await place.stores.index.commit(Array.from({ length: 10_001 }, (_, at) => upsert(place.maps, `many/${at}`)));
    archived = await place.archive();
    const commits: number[] = [];
    const index = new Proxy(made.index, {
      get(target, name: keyof ResourceIndex) {
        if (name !== 'replay') return target[name].bind(target);
        return (changes: Parameters<ResourceIndex['replay']>[0]) => {
          commits.push(changes.length);
          return target.replay(changes);
        };
      },
    });
    await make({ stores: { ...made, index } });
    assert.deepEqual(commits, [2, 2, 10_000, 1]);
    assert.deepEqual(await logOf(made), await logOf(place.stores));
  });

  it('is made of an archive from before there were orders', async () => {
    const marks = await marksOf();
    async function* records(changes: readonly LogChange[]) {
      yield changes.map(({ order: _, ...change }) => change);
    }
    const older: SegmentMark[] = [];
    for (const mark of marks) {
      const changes = (await collect(place.stores.index.log({ after: mark.after, until: mark.through }))).map(
        toLogChange,
      );
      const { chain } = archived;
      const contents = { part: 'changes', schema: 'log.Change.v1', records: records(changes) } as const;
      const same = mark.changes?.digest;
      const digest = { add: () => {}, value: same ?? '' };
      const file = await writeFile(place.artifacts, { chain, ...mark }, { ...contents, digest });
      older.push({ ...mark, format: 1, changes: same === undefined ? undefined : file });
    }
    await openSets(made.catalog, setsOf([await storedSet()]));
    await replayChanges({ artifacts: place.artifacts, index: made.index, marks: older, onProgress: () => {} });
    assert.deepEqual(await logOf(made), await logOf(place.stores));
  });

  it('gives no change a stamp at or below a boundary of the archive', async () => {
    await make();
    const [next] = await made.index.commit([upsert(place.maps, 'c')]);
    assert.ok(next?.status === 'applied' && next.stamp > archived.mark!.through);
  });

  it('begins a new epoch of every set when that is asked for', async () => {
    const { sets, renewed } = await make({ renew: true });
    assert.ok(sets[0]!.epoch > 1);
    assert.equal(renewed, true);
  });

  it('is used by no process until it is whole', async () => {
    await requireWhole(made.catalog, 'the store');
    const stop = new AbortController();
    await assert.rejects(make({ signal: stop.signal, onProgress: () => stop.abort() }), { name: 'AbortError' });
    await assert.rejects(requireWhole(made.catalog, 'the store'), fails('unavailable'));
    await requireUnderWay(made.catalog);

    await make();
    await requireWhole(made.catalog, 'the store');
    await assert.rejects(requireUnderWay(made.catalog), fails('conflict'));
    assert.deepEqual(await logOf(made), await logOf(place.stores));
  });

  it('is not made of a second archive, nor made twice', async () => {
    await assert.rejects(make({ signal: AbortSignal.abort() }), { name: 'AbortError' });
    const other = await place.archive({ anew: true });
    await assert.rejects(make({ chain: place.chain(other) }), fails('conflict', `--from ${archived.chain}`));
    await make();
    await assert.rejects(make(), fails('conflict', 'is not empty'));
  });

  it('is made in an empty store only', async () => {
    await made.catalog.put('token', 'x', {}, undefined);
    await assert.rejects(make(), fails('conflict', 'is not empty'));
    const used = await place.open();
    await used.index.mark();
    await assert.rejects(make({ stores: used }), fails('conflict', 'is not empty'));
  });

  it('is not made of an archive that goes beyond the clock', async () => {
    const ahead = { ...archived.mark!, number: 4, after: archived.mark!.through, changes: undefined };
    const tomorrow = clockStamp() + 86_400_000_000 + 1;
    assert.ok(await place.chain(archived).append({ ...ahead, through: tomorrow }));
    await assert.rejects(make(), fails('unavailable'));
    assert.equal(await made.catalog.get('rebuild', 'rebuild'), undefined);
  });

  it('is not made of documents that this version does not know', async () => {
    const { chain } = archived;
    const { number, through, ...mark } = archived.mark!;
    async function* records() {
      yield [{ kind: 'unheard-of', id: '1', body: '{}' }];
    }
    const segment = { chain, number: number + 1, after: through, through: through + 2 };
    const contents = { part: 'documents', schema: 'log.CatalogDocument.v1', records: records() } as const;
    const documents = await writeFile(place.artifacts, segment, { ...contents, digest: new RecordDigest() });
    await place.chain(archived).append({ ...mark, ...segment, changes: undefined, documents });
    await assert.rejects(make(), fails('incompatible'));
  });

  describe('of changes that cannot be made again', () => {
    /** A segment of other changes than those of the first. */
    const altered = async (alter: (changes: readonly LogChange[]) => readonly LogChange[]): Promise<SegmentMark> => {
      const [mark] = await marksOf();
      const changes = alter((await logOf(place.stores)).slice(0, 2).map(toLogChange));
      async function* records() {
        yield changes;
      }
      const contents = { part: 'changes', schema: 'log.Change.v2', records: records() } as const;
      const segment = { chain: archived.chain, number: 1, after: 0, through: mark!.through };
      const file = await writeFile(place.artifacts, segment, { ...contents, digest: new ChangeDigest() });
      return { ...mark!, changes: file };
    };
    const replay = async (...marks: readonly SegmentMark[]) => {
      let done = 0;
      await openSets(made.catalog, setsOf([await storedSet()]));
      const onProgress = (more: number) => {
        done += more;
      };
      await replayChanges({ artifacts: place.artifacts, index: made.index, marks, onProgress });
      return done;
    };

    it('is given up when a change becomes another kind', async () => {
      const mark = await altered(([a, b]) => [a!, { ...b!, kind: 'updated' }]);
      await assert.rejects(replay(mark), fails('invalid'));
    });

    it('is given up when a change gets another stamp', async () => {
      const mark = await altered(([a, b]) => [a!, { ...b!, stamp: clockStamp() + 86_400_000_000 }]);
      await assert.rejects(replay(mark), fails('invalid'));
    });

    it('is given up when a change is refused', async () => {
      const unknown = await altered(([a, b]) => [a!, { ...b!, set: 9 }]);
      await assert.rejects(replay(unknown), fails('invalid'));
    });

    it('is given up when a change makes no difference', async () => {
      const same = await altered(([a, b]) => [a!, { ...b!, key: a!.key, state: a!.state, kind: 'updated' }]);
      await assert.rejects(replay(same), fails('invalid'));
    });

    it('is given up when a file is not the one that its segment names', async () => {
      const { changes, ...mark } = await altered((all) => all);
      for (const other of [{ digest: 'other' }, { records: 3 }])
        await assert.rejects(replay({ ...mark, changes: { ...changes!, ...other } }), fails('invalid'));
    });

    it('is given up when a state becomes another one while its order rises', async () => {
      await make({ chain: place.chain(archived) });
      const [mark] = await marksOf();
      async function* records() {
        yield ['/a', '/c'].map((key) => ({ set: place.maps, key, order: 1, stamp: clockStamp() }));
      }
      const segment = { chain: archived.chain, number: 9, after: 0, through: mark!.through };
      const contents = { part: 'orders', schema: 'log.Order.v1', records: records() } as const;
      const orders = await writeFile(place.artifacts, segment, { ...contents, digest: new RecordDigest() });
      const index = withAfter(made.index, 'lookup', () => made.index.commit([upsert(place.maps, 'a', { length: 9 })]));
      const replaying = replayOrders({ artifacts: place.artifacts, index, marks: [{ ...mark!, orders }] });
      await assert.rejects(replaying, fails('invalid', 'an order of the archive became a change'));
    });

    it('takes those that it has as known, and reads no segment that it has', async () => {
      const mark = await altered((changes) => changes);
      assert.equal(await replay(mark), 2);
      assert.equal(await replay(mark), 2);
      await made.index.mark();
      const missing = { ...mark, changes: { ...mark.changes!, file: 'gone' } };
      assert.equal(await replay(missing), 2);
      await assert.rejects(replay({ ...missing, through: clockStamp() + 86_400_000_001 }), fails('not-found'));
      assert.equal((await logOf(made)).length, 2);
    });
  });

  describe('is compared with the archive', () => {
    const verify = async (marks: readonly SegmentMark[], signal?: AbortSignal) => {
      const sets = await place.sets.list();
      await verifyRebuilt({ index: place.stores.index, marks, sets, signal, onProgress: () => {} });
    };

    it('and is refused when a segment is another one', async () => {
      const marks = await marksOf();
      await verify(marks);
      const other = { ...marks[2]!, changes: { ...marks[2]!.changes!, digest: 'other' } };
      await assert.rejects(verify([...marks.slice(0, 2), other]), fails('invalid', 'segment 3'));
    });

    it('and is refused when a set counts something else', async () => {
      const marks = await marksOf();
      const text = /the set "maps" counts \{.*"changes":4.*\}, its log \{"resources":2,"changes":2,/;
      await assert.rejects(verify(marks.slice(0, 2)), fails('invalid', text));
      await assert.rejects(verify([]), fails('invalid', '"resources":0,"changes":0,"lastChange":0'));
    });

    it('and is refused when any of the counts is another one', async () => {
      const { index } = place.stores;
      const marks = await marksOf();
      const sets = await place.sets.list();
      for (const more of [{ resources: 9 }, { changes: 9 }, { lastChange: 1 }, undefined]) {
        const counting = new Proxy(index, {
          get(target, name: keyof ResourceIndex) {
            if (name !== 'summaries') return target[name].bind(target);
            return async (ids: readonly number[]) =>
              (await target.summaries(ids)).map((is) => more && { ...is, ...more });
          },
        });
        const verifying = verifyRebuilt({ index: counting, marks, sets, onProgress: () => {} });
        await assert.rejects(verifying, fails('invalid', 'the set "maps" counts'));
      }
    });

    it('unless that is stopped', async () => {
      const reason = new Error('stopped');
      await assert.rejects(verify(await marksOf(), AbortSignal.abort(reason)), reason);
    });

    it('without the sets that were removed', async () => {
      const [set] = await place.sets.list();
      const removed = { ...set!, removed: 1 };
      await verifyRebuilt({ index: place.stores.index, marks: [], sets: [removed], onProgress: () => {} });
    });

    it('with the sets that have no change', async () => {
      await place.sets.add({ slug: 'empty', urlPrefix: 'http://example.org/empty/' });
      await verify(await marksOf());
    });
  });

  describe('takes its catalog from the archive', () => {
    it('as often as that is asked for, for many documents', async () => {
      await assert.rejects(putDocuments(made.catalog, []), fails('conflict'));
      await assert.rejects(make({ signal: AbortSignal.abort() }), { name: 'AbortError' });
      const documents = Array.from({ length: 20 }, (_, at) => ({ kind: 'token', id: `t${at}`, body: `{"at":${at}}` }));
      await putDocuments(made.catalog, documents);
      const before = await made.catalog.list('token');
      assert.equal(before.length, 20);
      await putDocuments(made.catalog, documents);
      assert.deepEqual(await made.catalog.list('token'), before);
      await putDocuments(made.catalog, [{ ...documents[3]!, body: '{"at":-1}' }]);
      assert.deepEqual((await made.catalog.get('token', 't3'))?.body, { at: -1 });
    });

    it('and reports an error of its store, unless another process has made the same set', async () => {
      const [set] = await place.sets.list();
      const failing = (code: ErrorCode) =>
        withAfter(made.catalog, 'put', async () => {
          throw new TidemarkError(code, 'failed');
        });
      await assert.rejects(openSets(failing('unavailable'), [set!]), fails('unavailable'));
      await openSets(failing('conflict'), [{ ...set!, id: set!.id + 1 }]);
    });

    it('with sets that take changes, though they were removed, and that are not ready', async () => {
      const [set] = await place.sets.list();
      const sets = [{ ...set!, removed: 1 }];
      await Promise.all([openSets(made.catalog, sets), openSets(made.catalog, sets)]);
      await openSets(made.catalog, [{ ...set!, title: 'other' }]);
      const [opened, ...others] = await made.catalog.list('set');
      assert.deepEqual([opened?.body, others], [{ ...set!, ready: false }, []]);
    });
  });
});
