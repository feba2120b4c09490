import assert from 'node:assert/strict';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SET_URL, SLUG, URL_PREFIX } from '../support/fault-source.ts';
import { runProcess } from '../support/run-tidemark.ts';
import { type ListedChange, SetReader } from '../support/set-reader.ts';
import { SettableClock } from '../support/settable-clock.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };
const HOUR = 3600;

describeOnEachStore('a clock', (store, itOnce) => {
  afterEach(closeFaultSources);

  /** A server with a clock of its own, on a store that others use by the true time. */
  async function serving(secondsAhead = 0) {
    const source = await FaultSource.make(store, LIMITS);
    const clock = new SettableClock(source.folder, secondsAhead);
    let server = await source.serve({ clock });
    const request = (key: string) =>
      askJson(`${server.url}/api/sets/${SLUG}/changes`, {
        changes: [{ change: 'created', location: { type: 'rel_path', value: key }, length: 1 }],
      });
    return {
      clock,
      async tidemark(...args: readonly string[]) {
        const env = source.environment({ clock });
        const { exitCode, stdout, stderr } = await runProcess(args, { cwd: source.folder, env });
        assert.equal(exitCode, 0, stderr);
        return stdout;
      },
      async post(key: string) {
        const { body } = await request(key);
        assert.equal(body.results?.[0].status, 'applied', JSON.stringify(body));
      },
      async postHere(key: string) {
        const line = JSON.stringify({ change: 'created', location: { type: 'rel_path', value: key }, length: 1 });
        const { exitCode, stderr } = await source.run(['changes', 'post', SLUG], line);
        assert.equal(exitCode, 0, stderr);
      },
      async refuses(message: RegExp) {
        const { status, body } = await request('refused');
        assert.match(body.error?.message ?? 'it was not refused', message);
        assert.equal(status, 503);
      },
      async restart(seconds: number) {
        server.process.signal('SIGTERM');
        await server.process.exit();
        clock.set(seconds);
        server = await source.serve({ clock });
      },
      /** What the Change List has after a time; all of it without one. */
      async changes(from?: string) {
        const name = from === undefined ? 'changelist.xml' : `changelist.xml?from=${from}`;
        return (await new SetReader(SET_URL, server.url).changeList(name)).changes;
      },
    };
  }

  it('that jumps while a server runs is noticed before a change gets its time; it may be off by less than a minute', async () => {
    const { clock, post, postHere, refuses, changes } = await serving();
    await post('before');
    for (const seconds of [HOUR, 70, -HOUR, -70]) {
      clock.set(seconds);
      await refuses(/clock (has just jumped|is) \d+ seconds (forwards|backwards|ahead of|behind)/);
      clock.set(0);
      await post(`after ${seconds}`);
    }
    const now = new Date(Date.now() + 1000).toISOString();
    for (const { datetime } of await changes()) assert.ok(datetime < now, `${datetime} is in the future`);

    for (const seconds of [50, 0, -5]) {
      clock.set(seconds);
      await post(`at ${seconds}`);
      await postHere(`after ${seconds}`);
    }
  });

  it('that was an hour ahead stops posting until an operator says that it is right now; the order of changes is kept', async () => {
    const { tidemark, post, refuses, restart, changes } = await serving(store === SQLITE ? HOUR : 50);
    await post('future');
    const [future] = await changes();
    // On Elasticsearch no clock can be further off than a minute: together, two of them can.
    const behind = store === SQLITE ? 0 : -55;
    await restart(behind);
    await refuses(
      /is \d+ seconds ahead of this machine's clock: set the clock right, or, .*"tidemark clock --confirm"/,
    );
    assert.match(await tidemark('clock'), /seconds ahead .*\nNothing can be posted until then/);
    await refuses(/ahead of this machine's clock/);

    const beforehand = new Date(Date.now() + behind * 1000).toISOString();
    assert.match(await tidemark('clock', '--confirm'), /That is accepted/);
    for (const key of ['one', 'two']) await post(key);
    const all = await changes();
    assert.deepEqual(all.map(keyOf), ['future', 'one', 'two']);
    assert.ok(all[1]!.datetime > future!.datetime);
    // A client that asks by its own clock, or from the last change that it knows, misses nothing.
    for (const from of [beforehand, future!.datetime]) {
      assert.deepEqual((await changes(from)).map(keyOf).slice(-2), ['one', 'two']);
    }
  });

  itOnce('is said to be right where it is, by a command that then changes nothing', async () => {
    const source = await FaultSource.make(store, LIMITS);
    const { exitCode, stdout } = await source.run(['clock', '--confirm', '--json']);
    assert.equal(exitCode, 0);
    assert.equal(JSON.parse(stdout).state, 'right');
  });
});

function keyOf({ uri }: ListedChange): string {
  return uri.slice(URL_PREFIX.length);
}
