import assert from 'node:assert/strict';
import type { Stores } from '../../src/stores/open-stores.ts';
import { upsert } from '../support/builders.ts';

/** What the moment of every store promises. */
export function momentContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let place: Awaited<ReturnType<typeof start>>;
  let stores: Stores;
  let other: Stores;

  beforeEach(async () => {
    place = await start();
    stores = await place.open();
    other = await place.open();
    const set = { id: 1, slug: 'set', epoch: 1, epochStart: 1, urlPrefix: 'http://example.org/set/' };
    await stores.catalog.put('set', '0000000001', set, undefined);
  });

  afterEach(async () => {
    await stores.close();
    await other.close();
    await place.dispose();
  });

  it('stays the same while nothing happens, whatever is read', async () => {
    const moment = await stores.moment();
    await stores.index.watermark();
    await stores.index.lookup(1, ['/a']);
    await other.catalog.list('set');
    assert.equal(await stores.moment(), moment);
  });

  it('is another one after every commit and every put, by whichever process', async () => {
    const told = [await stores.moment()];
    for (const [writer, path] of [[stores, 'a'] as const, [other, 'b'] as const]) {
      await writer.index.commit([upsert(1, path)]);
      told.push(await stores.moment());
      await writer.catalog.put('page-directory', path, {}, undefined);
      told.push(await stores.moment());
    }
    assert.equal(new Set(told).size, told.length, told.join());
  });
}
