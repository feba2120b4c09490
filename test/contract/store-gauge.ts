import assert from 'node:assert/strict';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { deletion, URL_PREFIX, upsert } from '../support/builders.ts';

/** What every StoreGauge promises. `open` gives stores on the same data as often as it is called. */
export function storeGaugeContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let place: Awaited<ReturnType<typeof start>>;
  let opened: Stores[];
  let stores: Stores;
  let other: Stores;
  let sets: SetRegistry;
  let maps: number;
  let texts: number;

  beforeEach(async () => {
    place = await start();
    opened = [await place.open(), await place.open()];
    [stores, other] = opened as [Stores, Stores];
    sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    maps = (await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX })).id;
    texts = (await sets.add({ slug: 'texts', urlPrefix: URL_PREFIX })).id;
  });

  afterEach(async () => {
    for (const { close } of opened) await close();
    await place.dispose();
  });

  /** A reader has seen everything, so everything is applied. */
  const settle = () => stores.index.watermark();

  it('returns how far the log is, and that nothing waits when all is applied', async () => {
    const [result] = await stores.index.commit([upsert(maps, 'a')]);
    await settle();
    const { logged, applied, waiting, waitingSince } = await stores.gauge.progress();
    assert.equal(result?.status === 'applied' && result.stamp, logged);
    assert.equal(applied, logged);
    assert.equal(waiting, 0);
    assert.equal(waitingSince, undefined);
  });

  it('counts what another process has committed', async () => {
    const before = await other.gauge.progress();
    await stores.index.commit([upsert(maps, 'a')]);
    await settle();
    const after = await other.gauge.progress();
    assert.ok(after.logged > before.logged);
    assert.deepEqual(after, await stores.gauge.progress());
  });

  it('sums over all sets but those that are left out', async () => {
    await stores.index.commit([upsert(maps, 'a'), upsert(maps, 'b'), upsert(texts, 'a'), deletion(maps, 'a')]);
    await settle();
    for (const { gauge } of opened) {
      assert.deepEqual(await gauge.totals([]), { resources: 2, changes: 4 });
      assert.deepEqual(await gauge.totals([maps]), { resources: 1, changes: 1 });
      assert.deepEqual(await gauge.totals([maps, texts]), { resources: 0, changes: 0 });
    }
  });

  it('sums anew after each commit, by whichever process', async () => {
    assert.deepEqual(await other.gauge.totals([]), { resources: 0, changes: 0 });
    await stores.index.commit([upsert(maps, 'a')]);
    await settle();
    assert.deepEqual(await other.gauge.totals([]), { resources: 1, changes: 1 });
  });
}
