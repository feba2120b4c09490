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

  it('are sent when their set is ready, also when those of another set were sent meanwhile', async () => {
    const late = await sets.add({ ready: false });
    const shown = (await sets.add()).set.id;
    const [first] = await sets.commit(upsert(late.set.id, 'a'));
    const [other] = await sets.commit(upsert(shown, 'b'));
    const part = await channel.next(after);
    assert.equal(part?.oldest, other);
    channel.sent();
    await sets.put({ ...late.set, ready: true });
    const next = await channel.next(part!.until);
    assert.deepEqual([next?.set, next?.oldest], [late.set.id, first]);
    assert.ok(part!.until <= first! && next!.until > other!, 'the boundary stays before what was not sent');
    channel.sent();
    const [last] = await sets.commit(upsert(late.set.id, 'c'));
    assert.equal((await channel.next(next!.until))?.oldest, last);
  });

  it('are sent part by part when their set is ready, among those of other sets', async () => {
    const late = await sets.add({ ready: false });
    const shown = (await sets.add()).set.id;
    const paths = Array.from({ length: 5_000 }, (_, at) => `${at}`);
    const stamps = await sets.commit(...paths.map((path) => upsert(late.set.id, path)));
    const others = await sets.commit(upsert(shown, 'a'));
    const sent: (readonly [number, number])[] = [];
    let changes = 0;
    let through = after;
    const sendAll = async () => {
      for (let part = await channel.next(through); part !== undefined; part = await channel.next(through)) {
        sent.push([part.set, part.oldest]);
        channel.sent();
        through = Math.max(through, part.until);
        changes += part.body.toString().split('<loc>').length - 1;
        if (part.set === late.set.id && others.length === 1) others.push(...(await sets.commit(upsert(shown, 'b'))));
      }
    };
    await sendAll();
    assert.deepEqual(sent.splice(0), [[shown, others[0]]]);
    await sets.put({ ...late.set, ready: true });
    await sendAll();
    assert.equal(changes, others.length + stamps.length);
    const isOfLate = ([set]: readonly [number, number]) => set === late.set.id;
    const oldest = sent.filter(isOfLate).map(([, stamp]) => stamp);
    assert.deepEqual(
      oldest,
      oldest.toSorted((a, b) => a - b),
    );
    const at = sent.findIndex((part) => !isOfLate(part));
    assert.deepEqual(sent[at], [shown, others[1]]);
    assert.ok(at < sent.length - 1, 'those of the other set do not wait for all');
    assert.ok(through > others[1]!);
  });

  it('of a set that becomes private before it is ready are not waited for', async () => {
    const late = await sets.add({ ready: false });
    const shown = (await sets.add()).set.id;
    await sets.commit(upsert(late.set.id, 'a'));
    assert.equal(await channel.next(after), undefined);
    await sets.put({ ...late.set, private: true });
    const [stamp] = await sets.commit(upsert(shown, 'b'));
    const part = await channel.next(after);
    assert.deepEqual([part?.oldest, part!.until > stamp!], [stamp, true]);
  });
});
