import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '../../src/domain/change.ts';
import { uriOf } from '../../src/domain/key.ts';
import { formatStamp } from '../../src/domain/stamp.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { readLog, requireConsistent, requireEachOnce } from '../support/fault-checks.ts';
import { SmallRequests } from '../support/fault-clients.ts';
import { closeFaultSources, FaultSource, SET_URL, SLUG, URL_PREFIX } from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
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
    const histories = historiesOf(log);
    for (const list of lists) requireHonest(list, histories);
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

interface Moment {
  readonly datetime: string;
  /** Undefined when it was deleted then. */
  readonly length: number | undefined;
}

function historiesOf(log: readonly Change[]): ReadonlyMap<string, readonly Moment[]> {
  const histories = new Map<string, Moment[]>();
  for (const { key, stamp, state } of log) {
    const uri = uriOf(URL_PREFIX, key);
    const history = histories.get(uri) ?? [];
    histories.set(uri, history);
    history.push({ datetime: formatStamp(stamp), length: state?.length });
  }
  return histories;
}

/** Every resource is listed in the state that it had at the list's `at`, or in a later one: no change up to `at` is missing. */
function requireHonest({ at, resources }: ReadResourceList, histories: ReadonlyMap<string, readonly Moment[]>): void {
  for (const uri of resources.keys()) assert.ok(histories.has(uri), `${uri} never was`);
  for (const [uri, history] of histories) {
    const known = history.filter(({ datetime }) => datetime <= at).length;
    const states = new Set(history.slice(Math.max(known - 1, 0)).map(({ length }) => length));
    if (known === 0) states.add(undefined);
    const listed = resources.get(uri)?.length;
    assert.ok(states.has(listed), `the list of ${at} has ${uri} with the length ${listed}, which is older`);
  }
}
