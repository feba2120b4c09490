import assert from 'node:assert/strict';
import { AllChangesChannel } from '../../../src/publish/notify/all-changes-channel.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { upsert } from '../../support/builders.ts';
import { PublishedSets } from '../../support/published-sets.ts';

describe('The changes of all sets, for a hub', () => {
  let sets: PublishedSets;
  let channel: AllChangesChannel;
  let after: number;
  /** Number of entries of the log that were read. */
  let read = 0;
  beforeEach(async () => {
    sets = await PublishedSets.open();
    const registry = new SetRegistry(sets.catalog, sets.index);
    await registry.useBaseUrl('https://data.example.org', true);
    const { index } = sets;
    channel = new AllChangesChannel({
      sets: registry,
      index: {
        watermark: () => index.watermark(),
        changes: (set, range) => index.changes(set, range),
        async tail(from, limit) {
          const entries = await index.tail(from, limit);
          read += entries.length;
          return entries;
        },
      },
    });
    after = await index.mark();
    read = 0;
  });
  afterEach(() => sets.close());

  it('are read once while they are of private sets only', async () => {
    const hidden = (await sets.add({ private: true })).set.id;
    await sets.commit(upsert(hidden, 'a'), upsert(hidden, 'b'));
    assert.equal(await channel.next(after), undefined);
    assert.equal(read, 2);
    assert.equal(await channel.next(after), undefined);
    assert.equal(read, 2);
    const shown = (await sets.add()).set.id;
    const [stamp] = await sets.commit(upsert(shown, 'c'));
    assert.equal((await channel.next(after))?.oldest, stamp);
    assert.equal(read, 3);
  });

  it('are sent when their set is ready, also when those of private sets follow', async () => {
    const { set } = await sets.add({ ready: false });
    const hidden = (await sets.add({ private: true })).set.id;
    const [stamp] = await sets.commit(upsert(set.id, 'a'));
    assert.equal(await channel.next(after), undefined);
    await sets.commit(upsert(hidden, 'b'));
    assert.equal(await channel.next(after), undefined);
    await sets.put({ ...set, ready: true });
    assert.equal((await channel.next(after))?.oldest, stamp);
  });
});
