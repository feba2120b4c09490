import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describeOnEachStore } from '../support/each-store.ts';
import { readLog, requireConsistent, requireEachOnce } from '../support/fault-checks.ts';
import { SmallRequests } from '../support/fault-clients.ts';
import { closeFaultSources, FaultSource, SET_URL, SLUG } from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
import { requireHonestLists } from '../support/honest-lists.ts';
import { type ReadResourceList, SetReader } from '../support/set-reader.ts';
import { until } from '../support/until.ts';

const REQUESTS = 45;
const EVENTS_PER_REQUEST = 500;
const KEYS = 3_000;
/** A follower more begins when so many requests were posted. */
const FOLLOWERS_AFTER = [15, 30];

describeOnEachStore('a reader under fire', function (store) {
  this.timeout(600_000);
  afterEach(closeFaultSources);

  it('has an exact copy in the end, and never saw a wrong list on the way', async () => {
    const source = await FaultSource.make(store, { pageEntries: 200, windowChanges: 500 });
    const { url } = await source.serve();
    const client = new SmallRequests(1, { keys: KEYS });
    const reader = new SetReader(SET_URL, url);
    const done = new AbortController();
    const lists: ReadResourceList[] = [];
    // It begins before there is anything, and hears of everything by changes. A reader that begins later may find all
    // in its first list.
    const first = await Follower.start(reader);
    const followers = [first];
    const following = [first.follow(done.signal)];
    const relisting = relist(reader, lists, done.signal);
    for (let request = 0; request < REQUESTS; request++) {
      if (FOLLOWERS_AFTER.includes(request)) following.push(follow(reader, { followers, done: done.signal }));
      await client.postOnce(`${url}/api/sets/${SLUG}/changes`, EVENTS_PER_REQUEST);
      await wait(30);
    }
    // On a slow machine, a reader of lists succeeds only between many pages and at the end.
    const haveManyPages = until('lists of many pages are read', async () => lists.some(({ pages }) => pages > 10));
    await Promise.race([haveManyPages, relisting]);
    done.abort();
    await Promise.all([relisting, ...following]);
    assert.ok(followers.length === 3 && first.applied > 0);

    const app = await source.open();
    const log = await readLog(app);
    requireEachOnce(log, [client]);
    await requireConsistent(app, reader);
    await reader.requireClosedUnchanged();
    assert.ok(reader.closed.size > 35, `${reader.closed.size} are closed`);

    const { resources } = await reader.resourceList();
    for (const follower of followers) {
      lists.push(follower.baseline);
      assert.deepEqual(
        [...follower.copy.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1)),
        [...resources.values()],
      );
    }
    requireHonestLists(lists, log);
  });
});

interface Following {
  /** It joins these when it has its baseline. */
  readonly followers: Follower[];
  readonly done: AbortSignal;
}

async function follow(reader: SetReader, { followers, done }: Following): Promise<void> {
  const follower = await Follower.start(reader);
  followers.push(follower);
  await follower.follow(done);
}

/** Reads the whole Resource List again and again; each time pages are split between the index and them. */
async function relist(reader: SetReader, lists: ReadResourceList[], done: AbortSignal): Promise<void> {
  while (!done.aborted) lists.push(await reader.resourceList());
}
