import assert from 'node:assert/strict';
import { LogTail } from '../../../src/publish/pages/log-tail.ts';
import type { LogEntry } from '../../../src/stores/change-log.ts';
import { upsert } from '../../support/builders.ts';
import { PublishedSets, withAfter } from '../../support/published-sets.ts';

describe('The tail of the log', () => {
  let sets: PublishedSets;
  let one: number;
  let other: number;
  let lastLength = 0;
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());
  beforeEach(async () => {
    one = (await sets.add()).set.id;
    other = (await sets.add()).set.id;
  });

  /** Commits so many changes of each of these sets, alternately. Returns the stamps of the first set's. */
  async function commit(count: number, ...ids: readonly number[]) {
    const events = Array.from({ length: count }, (_, at) =>
      ids.map((id) => upsert(id, `${at}`, { length: ++lastLength })),
    );
    const stamps = await sets.commit(...events.flat());
    return stamps.filter((_, at) => at % ids.length === 0);
  }

  /** Follows a set. The stamps that its listener is given are put at the end of a list. */
  async function follow(tail: LogTail, set: number) {
    const seen: number[] = [];
    const listener = (entries: readonly LogEntry[]) => {
      assert.ok(entries.every((entry) => entry.set === set));
      seen.push(...entries.map(({ stamp }) => stamp));
    };
    return { seen, head: await tail.follow(set, listener) };
  }

  it('hands each set its changes, once and in order', async () => {
    const tail = new LogTail(sets.index);
    await commit(1, one, other);
    const first = await follow(tail, one);
    const second = await follow(tail, other);
    const stamps = await commit(3, one, other);
    await tail.catchUp();
    assert.deepEqual(first.seen, stamps);
    assert.deepEqual(
      second.seen,
      stamps.map((stamp) => stamp + 2),
    );
    assert.ok(first.head < stamps[0]!);
    await tail.catchUp();
    const more = await commit(2, one);
    await tail.catchUp();
    assert.deepEqual(first.seen, [...stamps, ...more]);
  });

  it('hands on nothing of a set that is not followed, or no longer', async () => {
    const tail = new LogTail(sets.index);
    const { seen } = await follow(tail, one);
    await commit(2, other);
    await tail.catchUp();
    tail.unfollow(one);
    await commit(2, one);
    await tail.catchUp();
    assert.deepEqual(seen, []);
  });

  it('begins at the first request, and gives its place to a follower that comes later', async () => {
    const tail = new LogTail(sets.index);
    await commit(1, one);
    await tail.catchUp();
    const stamps = await commit(1, one);
    const { head, seen } = await follow(tail, one);
    assert.ok(head < stamps[0]!);
    await tail.catchUp();
    assert.deepEqual(seen, stamps);
    const later = await follow(tail, other);
    assert.ok(later.head > stamps[0]!);
  });

  it('reads any number of changes', async () => {
    const tail = new LogTail(sets.index);
    const { seen } = await follow(tail, one);
    const stamps: number[] = [];
    for (const count of [1_999, 2_000, 4_001]) {
      stamps.push(...(await commit(count, one)));
      await tail.catchUp();
      assert.deepEqual(seen, stamps);
    }
  });

  it('goes on when the watermark rises without a change', async () => {
    const tail = new LogTail(sets.index);
    const { seen } = await follow(tail, one);
    await sets.index.mark();
    await tail.catchUp();
    const stamps = await commit(1, one);
    await tail.catchUp();
    assert.deepEqual(seen, stamps);
  });

  it('does not hand on twice what was committed while it reads', async () => {
    const stamps: number[] = [];
    const index = withAfter(sets.index, 'watermark', async () => stamps.push(...(await commit(3, one))));
    const tail = new LogTail(index);
    const { seen } = await follow(tail, one);
    for (let reads = 0; reads < 3; reads++) await tail.catchUp();
    assert.deepEqual(seen, stamps);
  });
});
