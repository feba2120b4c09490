import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScannerLease } from '../../src/sources/scanners/scanner-lease.ts';
import { ownerOf } from '../../src/sources/scanners/scanner-state.ts';
import { ScannersFollower } from '../../src/sources/scanners/scanners-follower.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { describeOnEachStore, type StorePlace } from '../support/each-store.ts';

const LEASE_MS = 12_000;
const SETS = Array.from({ length: 30 }, (_, at) => at + 1);
/** No process has it. */
const ENDED_PID = 2 ** 31 - 1;

describeOnEachStore('A lease to scan', (store) => {
  let folder: string;
  let place: StorePlace;
  let stores: Stores;
  /** Of the clock that all members read. */
  let elapsed: number;
  const members: ScannerLease[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = store.place(folder, { mayBeMade: true });
    stores = await openStores(place.location);
    elapsed = 1_000_000;
  });

  afterEach(async () => {
    members.length = 0;
    await stores.close();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  interface MemberOptions {
    readonly system?: string;
    readonly pid?: number;
    readonly follower?: ScannersFollower;
  }

  function member(seat: string, { system, pid = process.pid, follower }: MemberOptions = {}): ScannerLease {
    const { catalog } = stores;
    const lease = new ScannerLease({
      ...{ catalog, follower: follower ?? new ScannersFollower(catalog), leaseMs: LEASE_MS, seat },
      process: { name: seat, system, pid },
      elapsed: () => elapsed,
    });
    members.push(lease);
    return lease;
  }

  /** Each polls, stops what is not its own, and says so. */
  async function settle(...leases: readonly ScannerLease[]): Promise<void> {
    for (const _ of [1, 2]) {
      for (const lease of leases) {
        await lease.poll();
        await lease.acknowledge(lease.state.epoch);
      }
    }
    for (const lease of leases) await lease.poll();
  }

  const ownedBy = (lease: ScannerLease) => SETS.filter((set) => lease.owns(set));

  it('lets one that is alone begin at once, with a write at the begin and none after that', async () => {
    const one = member('one');
    await one.join();
    assert.ok(one.isSettled && one.isHeld);
    assert.deepEqual(ownedBy(one), SETS);
    const head = await stores.catalog.head('scanners');
    for (let at = 0; at < 5; at++) {
      elapsed += LEASE_MS / 2;
      await one.poll();
      assert.ok(one.isHeld);
    }
    assert.equal(await stores.catalog.head('scanners'), head);
  });

  it('goes on with what the store has when it has read what no store has any more', async () => {
    const follower = new ScannersFollower(stores.catalog);
    const [one, two] = [member('one'), member('two', { follower })];
    await one.join();
    await two.join();
    // As a node that is cut off may show it, or the store that was there before this one.
    follower.remember(follower.state, (await stores.catalog.head('scanners')) + 1000);
    await two.leave({ isWhole: true });
    await one.poll();
    assert.deepEqual(
      one.state.members.map(({ name }) => name),
      ['one'],
    );
  });

  it('gives each set to one of several, which begins it when all others have stopped', async () => {
    const [one, two] = [member('one'), member('two')];
    await one.join();
    await two.join();
    assert.ok(!two.isSettled, 'the first one may still scan');
    await one.poll();
    assert.ok(!one.isSettled);
    await one.acknowledge(one.state.epoch);
    await two.poll();
    assert.ok(two.isSettled);
    assert.deepEqual(
      SETS.map((set) => Number(one.owns(set)) + Number(two.owns(set))),
      SETS.map(() => 1),
    );
    assert.ok(ownedBy(one).length >= 8 && ownedBy(two).length >= 8, `${ownedBy(one).length} of 30`);
  });

  it('gives the others the sets of one that leaves at once, and moves no other set', async () => {
    const leases = ['one', 'two', 'three'].map((seat) => member(seat));
    for (const lease of leases) await lease.join();
    await settle(...leases);
    const [one, two, three] = leases as [ScannerLease, ScannerLease, ScannerLease];
    const before = [ownedBy(one), ownedBy(two)];
    await three.leave({ isWhole: true });
    await settle(one, two);
    assert.deepEqual([...ownedBy(one), ...ownedBy(two)].sort(), [...SETS].sort());
    assert.ok(before[0]!.every((set) => one.owns(set)) && before[1]!.every((set) => two.owns(set)));
    assert.equal(one.state.isUnclean, false);
    assert.deepEqual(ownedBy(three), []);
  });

  it('removes one that is silent for the lease, and not before; it knows that itself before the others', async () => {
    const [one, two] = [member('one'), member('two')];
    await one.join();
    await two.join();
    await settle(one, two);
    const { epoch } = two.state;
    for (let passed = 0; passed < LEASE_MS; passed += LEASE_MS / 4) {
      assert.equal(two.state.epoch, epoch, `removed after ${passed} ms`);
      if (passed > 0.9 * LEASE_MS) assert.ok(!one.isHeld);
      elapsed += LEASE_MS / 4;
      await two.poll();
    }
    assert.ok(two.state.epoch > epoch && two.state.isUnclean);
    await two.acknowledge(two.state.epoch);
    assert.ok(two.isSettled);
    assert.deepEqual(ownedBy(two), SETS);
    assert.ok(!one.isHeld);
    await one.poll();
    assert.ok(!one.isMember);
    assert.deepEqual(ownedBy(one), []);

    await one.join();
    await settle(one, two);
    assert.equal(one.state.members.length, 2);
  });

  it('counts no time in which nothing could be read', async () => {
    const [one, two] = [member('one'), member('two')];
    await one.join();
    await two.join();
    await settle(one, two);
    // As when the store was away, or both machines slept.
    elapsed += 100 * LEASE_MS;
    await two.poll();
    await one.poll();
    assert.ok(one.isMember && one.isHeld);
  });

  it('removes one of the same system whose process has ended at once, and no other', async () => {
    const [ended, elsewhere] = [
      member('ended', { system: 'here', pid: ENDED_PID }),
      member('elsewhere', { system: 'there', pid: ENDED_PID }),
    ];
    await ended.join();
    await elsewhere.join();
    const next = member('next', { system: 'here' });
    await next.join();
    assert.deepEqual(
      next.state.members.map(({ name }) => name),
      ['elsewhere', 'next'],
    );
    assert.ok(next.state.isUnclean);
  });

  it('leaves a set to one that can read it; when none can, the first choice goes on', async () => {
    const [one, two] = [member('one'), member('two')];
    await one.join();
    await two.join();
    await settle(one, two);
    const set = ownedBy(one)[0]!;
    one.setReadable(set, false);
    await settle(one, two);
    assert.ok(two.owns(set) && two.isSettled);
    two.setReadable(set, false);
    await settle(one, two);
    assert.ok(one.owns(set));
    two.setReadable(set, true);
    await settle(one, two);
    assert.ok(two.owns(set));
  });

  it('gives a set to the command that wants it, until it leaves', async () => {
    const [server, publishing] = [member('server'), member('publishing')];
    await server.join();
    await publishing.join({ wants: [1] });
    const command = member('command');
    await command.join({ wants: [1], isCommand: true });
    assert.ok(!command.isSettled);
    await settle(server, publishing, command);
    assert.ok(command.owns(1) && command.isSettled);
    assert.deepEqual(ownedBy(command), [1]);
    await command.leave({ isWhole: false });
    await settle(server, publishing);
    assert.ok(publishing.owns(1));
  });

  it('remembers that something may arrive late until the last one has begun everything, and ends', async () => {
    const one = member('one');
    await one.join();
    one.noteLostAnswer();
    await one.leave({ isWhole: true });
    const two = member('two');
    await two.join();
    assert.ok(two.state.isUnclean);
    await two.leave({ isWhole: false });
    await two.join();
    assert.ok(two.state.isUnclean);
    await two.leave({ isWhole: true });
    await two.join();
    assert.ok(!two.state.isUnclean);
  });

  it('lets many join at the same time, with one view of who scans what', async () => {
    const leases = Array.from({ length: 8 }, (_, at) => member(`seat ${at}`));
    await Promise.all(leases.map((lease) => lease.join()));
    await settle(...leases);
    for (const lease of leases) assert.ok(lease.isSettled);
    for (const set of SETS) {
      const owners = new Set(leases.map((lease) => ownerOf(set, lease.state)?.name));
      assert.equal(owners.size, 1);
    }
    const epochs = leases.map(({ state }) => state.epoch);
    assert.equal(new Set(epochs).size, 1);
  });
});
