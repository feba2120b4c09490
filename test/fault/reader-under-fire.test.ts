import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describeOnEachStore } from '../support/each-store.ts';
import { readLog, requireConsistent, requireEachOnce } from '../support/fault-checks.ts';
import { SmallRequests } from '../support/fault-clients.ts';
import { closeFaultSources, FaultSource, SET_URL, SLUG } from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
import { requireHonestLists } from '../support/honest-lists.ts';
import { type ReadResourceList, SetReader } from '../support/set-reader.ts';

const EVENTS = 50_000;
const EVENTS_PER_REQUEST = 500;
const KEYS = 3_000;
/** A follower begins whenever so many requests were posted. */
const REQUESTS_PER_FOLLOWER = 35;

describeOnEachStore('a reader under fire', function (store) {
  this.timeout(90_000);
  afterEach(closeFaultSources);

  it('has an exact copy in the end, and never saw a wrong list on the way', async () => {
    const source = await FaultSource.make(store, { pageEntries: 200, windowChanges: 500 });
    const { url } = await source.serve();
    const client = new SmallRequests(1, KEYS);
    const reader = new SetReader(SET_URL, url);
    const done = new AbortController();
    const followers: Promise<Follower>[] = [];
    const lists: ReadResourceList[] = [];
    const relisting = relist(reader, lists, done.signal);
    for (let request = 0; request < EVENTS / EVENTS_PER_REQUEST; request++) {
      if (request % REQUESTS_PER_FOLLOWER === 0) followers.push(follow(reader, done.signal));
      await client.postOnce(`${url}/api/sets/${SLUG}/changes`, EVENTS_PER_REQUEST);
      await wait(30);
    }
    done.abort();
    await relisting;

    const app = await source.open();
    const log = await readLog(app);
    requireEachOnce(log, [client]);
    await requireConsistent(app, reader);
    await reader.requireClosedUnchanged();
    assert.ok(reader.closed.size > 80);

    const { resources } = await reader.resourceList();
    for (const follower of await Promise.all(followers)) {
      lists.push(follower.baseline);
      assert.ok(follower.applied > 0);
      assert.deepEqual(
        [...follower.copy.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1)),
        [...resources.values()],
      );
    }
    requireHonestLists(lists, log);
    assert.ok(lists.length > followers.length && lists.some(({ pages }) => pages > 10));
  });
});

async function follow(reader: SetReader, done: AbortSignal): Promise<Follower> {
  const follower = await Follower.start(reader);
  await follower.follow(done);
  return follower;
}

/** Reads the whole Resource List again and again; each time pages are split between the index and them. */
async function relist(reader: SetReader, lists: ReadResourceList[], done: AbortSignal): Promise<void> {
  while (!done.aborted) lists.push(await reader.resourceList());
}
