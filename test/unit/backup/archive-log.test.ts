import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { ArchiveChain } from '../../../src/backup/archive-chain.ts';
import { digestOf } from '../../../src/backup/catalog-documents.ts';
import { ChangeDigest, toLogChange } from '../../../src/backup/change-rows.ts';
import { chainOfStore, nameChain } from '../../../src/backup/store-chain.ts';
import { isTidemarkError, TidemarkError } from '../../../src/core/errors.ts';
import type { ResourceIndex } from '../../../src/stores/resource-index.ts';
import type { StoreGauge } from '../../../src/stores/store-gauge.ts';
import { useArchivedStores } from '../../support/archived-stores.ts';
import { collect, deletion, upsert } from '../../support/builders.ts';
import { withAfter } from '../../support/published-sets.ts';

describe('a segment of a log', () => {
  const place = useArchivedStores();
  const commit = (...paths: readonly string[]) =>
    place.stores.index.commit(paths.map((path) => upsert(place.maps, path)));

  it('is not written of a store without sets', async () => {
    const stores = await place.open();
    const archived = await place.archive({ stores });
    assert.deepEqual([archived.status, archived.mark], ['nothing-new', undefined]);
    assert.equal(await place.chain(archived).last(), undefined);
  });

  it('holds the changes between two boundaries, the catalog and the positions', async () => {
    await commit('a', 'b');
    const done: number[][] = [];
    const { status, mark, chain } = await place.archive({ onProgress: (...counts) => done.push(counts) });
    const changes = await collect(place.stores.index.log({ after: 0 }));
    const { key, stamp } = changes.at(-1)!;
    assert.equal(status, 'written');
    assert.deepEqual([mark?.number, mark?.after, mark?.total], [1, 0, 2]);
    assert.ok(mark!.through > stamp);
    assert.deepEqual(mark!.last, { set: place.maps, key, stamp });
    assert.deepEqual(done, [[2, 2]]);

    const digest = new ChangeDigest();
    digest.add(changes.map(toLogChange));
    const { file, ...described } = mark!.changes!;
    assert.deepEqual([described.records, described.digest], [2, digest.value]);
    const { body, length } = await place.artifacts.get(file);
    assert.equal(length, described.length);
    const bytes = await buffer(body);
    const header = ['tidemark.chain', 'tidemark.segment', 'tidemark.after', `Segment 1 of the commit log ${chain}`];
    for (const text of header) assert.ok(bytes.includes(text), text);
    assert.match(file, new RegExp(`^_log/${chain}/changes/0000000001-0-${mark!.through}-[0-9a-f]{8}\\.avro$`));
    assert.deepEqual(await place.chain({ status, mark, chain }).last(), mark);
  });

  it('begins where the one before ends', async () => {
    await commit('a', 'b');
    const { mark: first } = await place.archive();
    assert.deepEqual((await place.archive()).mark, first);
    assert.equal((await place.archive()).status, 'nothing-new');
    await commit('c');
    const done: number[][] = [];
    const { status, mark } = await place.archive({ onProgress: (...counts) => done.push(counts) });
    assert.deepEqual([status, mark?.number, mark?.changes?.records, mark?.total], ['written', 2, 1, 3]);
    assert.equal(mark!.after, first!.through);
    assert.deepEqual(done, [[1, 1]]);
    assert.deepEqual([mark!.documents, mark!.positions], [first!.documents, first!.positions]);
    assert.equal(mark!.last?.key, '/c');
  });

  it('has the catalog alone when only that has changed', async () => {
    await commit('a');
    const { mark: first } = await place.archive();
    await place.sets.change('maps', { private: true });
    const { status, mark } = await place.archive();
    assert.deepEqual([status, mark?.changes, mark?.total, mark?.last], ['written', undefined, 1, first!.last]);
    assert.notEqual(mark!.documents.digest, first!.documents.digest);
    assert.deepEqual(mark!.positions, first!.positions);
  });

  it('has the positions alone when only a source has come further', async () => {
    const { mark: first } = await place.archive();
    await place.stores.index.commit([{ ...deletion(place.maps, 'none'), source: 'h', position: 4 }]);
    const { status, mark } = await place.archive();
    assert.deepEqual([status, mark?.changes, mark?.last], ['written', undefined, undefined]);
    assert.equal(mark!.positions.digest, digestOf([{ set: place.maps, source: 'h', position: 4 }]));
    assert.deepEqual(mark!.documents, first!.documents);
  });

  it('has all positions, however many there are', async () => {
    const sources = Array.from({ length: 2_001 }, (_, at) => ({
      ...deletion(place.maps, 'none'),
      source: `s${at}`,
      position: at,
    }));
    await place.stores.index.commit(sources);
    const { mark } = await place.archive();
    assert.equal(mark?.positions.records, 2_001);
  });

  /** The stores, where other processes do something right after the boundary of a segment was read, once. */
  const afterBoundary = (work: () => Promise<unknown>) => {
    let isDone = false;
    const index = new Proxy(place.stores.index, {
      get(target, name: keyof ResourceIndex) {
        if (name !== 'watermark' || isDone) return target[name].bind(target);
        return async () => {
          const watermark = await target.watermark();
          if (!isDone) {
            isDone = true;
            await work();
          }
          return watermark;
        };
      },
    });
    return { ...place.stores, index };
  };

  it('has sets that were made after its boundary, and settings as they were before it', async () => {
    const stores = afterBoundary(async () => {
      await place.sets.add({ slug: 'late', urlPrefix: 'http://example.org/late/' });
      await place.stores.catalog.put('token', 'late', {}, undefined);
    });
    const { mark } = await place.archive({ stores });
    // The source, two sets; the token is new.
    assert.equal(mark?.documents.records, 3);
    assert.equal((await place.archive()).mark?.documents.records, 4);
  });

  it('has positions as they were before its boundary', async () => {
    const event = { ...upsert(place.maps, 'a'), source: 'h', position: 7 };
    const { mark } = await place.archive({ stores: afterBoundary(() => place.stores.index.commit([event])) });
    // Otherwise the event would count as known to a store that is rebuilt without it.
    assert.deepEqual([mark?.changes, mark?.positions.digest], [undefined, digestOf([])]);
  });

  it('leaves changes above its boundary to the next one', async () => {
    const { mark: first } = await place.archive({ stores: afterBoundary(() => commit('a')) });
    assert.deepEqual([first?.changes, first?.last, first?.total], [undefined, undefined, 0]);
    const done: number[][] = [];
    const onProgress = (...counts: number[]) => done.push(counts);
    const { mark } = await place.archive({ stores: afterBoundary(() => commit('c', 'd')), onProgress, anew: true });
    assert.deepEqual([mark?.changes?.records, mark?.last?.key], [1, '/a']);
    assert.deepEqual(done, [[1, 3]]);
  });

  it('is written by one process only', async () => {
    await commit('a');
    const { stores } = place;
    // Another process comes first while this one reads its log.
    const gauge = new Proxy(stores.gauge, {
      get(target, name: keyof StoreGauge) {
        if (name !== 'totals') return target[name].bind(target);
        return async (except: readonly number[]) => {
          assert.equal((await place.archive()).status, 'written');
          return target.totals(except);
        };
      },
    });
    const { status, mark, chain } = await place.archive({ stores: { ...stores, gauge } });
    assert.equal(status, 'outrun');
    assert.deepEqual(await new ArchiveChain(place.artifacts, chain).all(), [mark]);
  });

  it('is not written when that is aborted', async () => {
    await commit('a');
    const reason = new Error('stopped');
    await assert.rejects(place.archive({ signal: AbortSignal.abort(reason) }), reason);
    const { mark } = await place.archive();
    assert.equal(mark?.number, 1);
  });

  it('is not written when the archive is ahead, though it has no change', async () => {
    const { chain, mark } = await place.archive();
    assert.equal(mark?.last, undefined);
    const behind = await place.open();
    await nameChain(behind.catalog, chain);
    await assert.rejects(place.archive({ stores: behind }), (error) => isTidemarkError(error, 'conflict'));
  });

  it('is not written when the archive is of another history', async () => {
    await commit('a');
    const { chain, mark } = await place.archive();
    const isOther = (error: unknown) => isTidemarkError(error, 'conflict') && error.details.archive === chain;
    // An empty store: the archive is ahead of it.
    const behind = await place.open();
    await nameChain(behind.catalog, chain);
    await assert.rejects(place.archive({ stores: behind }), isOther);

    // A store that went on, but without what was archived last.
    const again = new ArchiveChain(place.artifacts, chain);
    const last = mark!.last!;
    const wrongs = [{ key: '/b' }, { set: 9 }, { stamp: last.stamp - 2 }, { stamp: last.stamp + 2 }];
    for (const [at, wrong] of wrongs.entries()) {
      const number = at + 2;
      const next = { ...mark!, number, after: mark!.through, changes: undefined, last: { ...last, ...wrong } };
      assert.ok(await again.append(next));
      await assert.rejects(place.archive(), isOther);
    }
    const anew = await place.archive({ anew: true });
    assert.equal(anew.status, 'written');
    assert.notEqual(anew.chain, chain);
    assert.deepEqual([anew.mark?.number, anew.mark?.total], [1, 1]);
    assert.equal((await place.archive()).chain, anew.chain);
  });
});

describe('the archive of a store', () => {
  const place = useArchivedStores();

  it('is named once, and kept', async () => {
    const { artifacts } = place;
    const { catalog } = place.stores;
    const { id } = await chainOfStore({ catalog, artifacts });
    assert.equal((await chainOfStore({ catalog, artifacts })).id, id);
    await nameChain(catalog, 'another');
    assert.equal((await chainOfStore({ catalog, artifacts })).id, id);
    const { id: anew } = await chainOfStore({ catalog, artifacts, anew: true });
    assert.notEqual(anew, id);
    assert.equal((await chainOfStore({ catalog, artifacts })).id, anew);
  });

  it('is the one that another process named first', async () => {
    const { artifacts } = place;
    const { catalog } = place.stores;
    const [one, other] = await Promise.all([1, 2].map(() => chainOfStore({ catalog, artifacts })));
    assert.equal(one!.id, other!.id);
  });

  it('is not known when the store fails while it is named', async () => {
    const { artifacts } = place;
    const failure = new TidemarkError('unavailable', 'the disk is full');
    const catalog = withAfter(place.stores.catalog, 'put', () => Promise.reject(failure));
    await assert.rejects(chainOfStore({ catalog, artifacts }), failure);
  });
});
