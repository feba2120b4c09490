import assert from 'node:assert/strict';
import { openStores } from '../../src/stores/open-stores.ts';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { PatientRequests } from '../support/fault-clients.ts';
import { closeFaultSources, FaultSource, SLUG, untilStopped } from '../support/fault-source.ts';
import { growSource, growWithDeaths } from '../support/grown-source.ts';
import { until } from '../support/until.ts';

// test/trials/killed-grow.test.ts has all failpoints, on each store.
describe('A store that moves while clients post', () => {
  afterEach(closeFaultSources);

  it('keeps one history, when the move is killed and called again (107)', () =>
    growWithDeaths(SQLITE, SQLITE, ['grow.copied', 'grow.moved']));
});

describeOnEachStore('A writer that slept while the store moved', (store) => {
  afterEach(closeFaultSources);

  it('has committed before the move, or is refused', async () => {
    const source = await FaultSource.makeWithPages(store);
    const next = store.place(`${source.folder}/next`);
    const sleeping = await source.serve({ failpoint: 'commit.decided:stop@3' });
    const client = new PatientRequests(1);
    const stop = new AbortController();
    const posting = client.post(sleeping.url, stop.signal);
    await untilStopped(sleeping);
    const answers = client.answers;

    // On SQLite, it has the lock of the file: the move waits, and fails.
    const first = await growSource(source, next);
    assert.equal(first.exitCode, store.kind === 'sqlite' ? 3 : 0, first.stdout + first.stderr);
    process.kill(sleeping.process.pid, 'SIGCONT');
    if (store.kind === 'sqlite') {
      await until('it goes on', async () => client.answers > answers);
      assert.equal((await growSource(source, next)).exitCode, 0);
    }
    await until('it is refused', async () => {
      const { status, body } = await askJson(`${sleeping.url}/api/sets/${SLUG}/changes`, {
        changes: [{ location: { type: 'rel_path', value: 'late' }, change: 'updated', length: 1 }],
      });
      return status === 503 && /has moved/.test(body.error.message);
    });
    stop.abort();
    await posting;
    if (store.kind === 'elasticsearch') assert.equal(client.answers, answers);

    const stores = await openStores(next.location);
    try {
      assert.deepEqual(await stores.fence.state(), { state: 'open' });
      const [last] = (await stores.index.tail(0, 10_000)).slice(-1);
      const old = await openStores(source.store.location);
      const [lastOfOld] = (await old.index.tail(0, 10_000)).slice(-1);
      await old.close();
      assert.deepEqual(last, lastOfOld);
    } finally {
      await stores.close();
      await next.dispose();
    }
  });
});

describeOnEachStore('A take-back', (store) => {
  afterEach(closeFaultSources);

  it('that is killed and called again leaves one store that takes changes', async () => {
    const source = await FaultSource.makeWithPages(store);
    const next = store.place(`${source.folder}/next`);
    const moved = await growSource(source, next);
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.equal((await growSource(source, next, 'takeback.fenced:kill', '--take-back')).exitCode, null);
    // Both are refused then, rather than neither.
    assert.equal((await source.run(['status'])).exitCode, 3);
    const fenced = await openStores(next.location);
    assert.notEqual((await fenced.fence.state()).state, 'open');
    await fenced.close();

    const again = await growSource(source, next, undefined, '--take-back');
    assert.equal(again.exitCode, 0, again.stderr);
    const server = await source.serve({ here: true });
    const client = new PatientRequests(1);
    const stop = new AbortController();
    const posting = client.post(server.url, stop.signal);
    await until('it takes changes', async () => client.answers > 0);
    stop.abort();
    await posting;
    source.useStore(next);
    const refused = await source.run(['status']);
    assert.deepEqual([refused.exitCode, /has moved to/.test(refused.stderr)], [3, true], refused.stderr);
  });
});
