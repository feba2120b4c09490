import assert from 'node:assert/strict';
import { ask } from '../support/ask.ts';
import { followSet, itWithScript } from '../support/check-scripts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { Follower } from '../support/follower.ts';
import { type ListedResource, SetReader } from '../support/set-reader.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { post } from './http.ts';

const EVENTS = 10_000;
const KEYS = 2_500;
const TURN = 500;

/** Creations, updates and deletions of the same few thousand resources, in an order that is always the same. */
function* events(): Iterable<object> {
  for (let number = 0, random = 7; number < EVENTS; number++) {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    const location = { type: 'rel_path', value: `${random % KEYS}.xml` };
    if (number % 5 === 4) yield { change: 'deleted', location };
    else yield { change: 'updated', location, length: number, hash: `md5:${number.toString(16).padStart(32, '0')}` };
  }
}

/** So many at a time. */
function* inTurns<Item>(items: Iterable<Item>, size: number): Iterable<readonly Item[]> {
  let turn: Item[] = [];
  for (const item of items) {
    turn.push(item);
    if (turn.length < size) continue;
    yield turn;
    turn = [];
  }
  if (turn.length > 0) yield turn;
}

describeOnEachStore('a set that is followed while 10,000 events are posted', (store) => {
  let home: string;
  let metrics: string;

  beforeEach(async () => {
    const { app, url } = await startApp(store);
    await app.sets.add({ slug: 'records', urlPrefix: `${url}/store/`, pageEntries: 500, windowChanges: 1_000 });
    home = `${url}/sets/records/`;
    metrics = `${url}/metrics`;
  });

  afterEach(closeApps);

  /** Posts everything in batches; `between` is called after each. */
  async function postAll(between: (turn: number) => Promise<void> | void): Promise<void> {
    let number = 0;
    for (const turn of inTurns(events(), TURN)) {
      await post(home, turn);
      await between(number++);
    }
  }

  it('is the same in every copy, whenever it was begun', async () => {
    const done = new AbortController();
    const followers: Follower[] = [];
    const following: Promise<void>[] = [];
    await postAll(async (turn) => {
      if (turn % 5 !== 0) return;
      const follower = await Follower.start(new SetReader(home));
      followers.push(follower);
      following.push(follower.follow(done.signal));
    });
    done.abort();
    await Promise.all(following);

    const { resources } = await new SetReader(home).resourceList();
    assert.equal(followers.length, 4);
    for (const { copy, applied } of followers) {
      assert.ok(applied > TURN, `only ${applied} changes were applied`);
      assert.deepEqual([...copy.values()].sort(byUri), [...resources.values()]);
    }
  });

  itWithScript('follow', 'is the same in a copy that another program makes', async () => {
    let following: ReturnType<typeof followSet> | undefined;
    const hasBegun = async () => /_count\{[^}]*"\/sets\/:set\/changelist\.xml"/.test((await ask(metrics)).text);
    await postAll(async () => {
      if (following !== undefined) return;
      following = followSet(home);
      // It takes a while to start, and then has all the rest to follow.
      await until('it follows', hasBegun);
    });
    const { exitCode, output } = await following!;
    assert.equal(exitCode, 0, output);
    assert.ok(Number(/(\d+) changes applied/.exec(output)?.[1]) > TURN, output);
  });
});

const byUri = (a: ListedResource, b: ListedResource) => (a.uri < b.uri ? -1 : 1);
