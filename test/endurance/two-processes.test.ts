import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describeOnEachStore } from '../support/each-store.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
  requireWholeDocuments,
} from '../support/fault-checks.ts';
import { type Client, LongStream, SmallRequests, untilServed } from '../support/fault-clients.ts';
import {
  closeFaultSources,
  FaultSource,
  SET_URL,
  type ServingProcess,
  SLUG,
  untilStopped,
} from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
import { SetReader } from '../support/set-reader.ts';

/** Where one of two processes dies while the other goes on. */
const DEATHS = {
  /** It holds the lock of the file at the first two, and a stopped one keeps it. */
  sqlite: [
    'commit.decided:stop@15',
    'commit.applied:kill@15',
    'commit.committed:kill@15',
    'split.surveyed:stop@2',
    'split.saved:kill@2',
    'render.written:kill@12',
  ],
  /** At the store they die and sleep in elasticsearch-two-processes.test.ts. */
  elasticsearch: ['render.written:kill'],
};

/**
 * On Elasticsearch, each document waits until what was posted before is applied: without pauses, few would be rendered.
 */
const CALM = { sqlite: false, elasticsearch: true };
/** Milliseconds between two readings of all pages: a reader that never pauses keeps a small machine from all else. */
const RELIST_AFTER_MS = 50;

describeOnEachStore('two processes on one store', function (store) {
  this.timeout(600_000);
  afterEach(closeFaultSources);

  it('keep one log when both and a command post to the same keys at once, and publish the same documents', async () => {
    const source = await FaultSource.makeWithPages(store);
    // Each has documents of its own: what one serves was not rendered by the other.
    const [one, other] = await Promise.all([
      source.serve(),
      source.serve({ dataFolder: join(source.folder, 'another') }),
    ]);
    const command = new SmallRequests(5);
    const pause = CALM[store.kind] ? { pause: 50 } : {};
    const clients = [...clientsOf(one, 1, pause), ...clientsOf(other, 3, pause)];
    // All of them at once, however long the command takes to start.
    const stop = new AbortController();
    const both = new SetReader(SET_URL, one.url, other.url);
    const posted = Promise.all([
      ...clients.map(({ client, url }) => client.post(url, stop.signal)),
      postByCommand(source, command).finally(() => stop.abort()),
    ]);
    await Promise.all([posted, followThrough(both, endOf(posted))]);

    const app = await source.open();
    const log = await readLog(app);
    requireAlternating(log);
    const posting = clients.map(({ client }) => client);
    requireAcknowledged(log, posting);
    requireEachOnce(log, [...posting, command]);

    const readers = [new SetReader(SET_URL, one.url), new SetReader(SET_URL, other.url)];
    for (const reader of readers) await requireConsistent(app, reader);
    for (const reader of readers) await reader.document('changelist-recent.xml');
    assert.deepEqual(readers[0]!.etags, readers[1]!.etags);
    assert.ok(readers[0]!.etags.size > 20);
    await both.requireClosedUnchanged();
  });

  for (const failpoint of DEATHS[store.kind]) {
    it(`lose nothing when one of them dies at ${failpoint}`, async () => {
      const source = await FaultSource.makeWithPages(store);
      const [mortal, survivor] = await Promise.all([source.serve({ failpoint }), source.serve()]);
      const stop = new AbortController();
      const clients = CALM[store.kind]
        ? [calm(mortal, 1), calm(survivor, 2), calm(survivor, 3)]
        : [...clientsOf(mortal, 1), ...clientsOf(survivor, 3)];
      const posted = Promise.all(clients.map(({ client, url }) => client.post(url, stop.signal)));
      const working = Promise.all([
        posted,
        followThrough(new SetReader(SET_URL, survivor.url), endOf(posted)),
        // Only a server that is asked for lists splits pages and renders.
        readUntilDead(mortal),
      ]);
      await untilDead(mortal, failpoint);
      const survivors = clients.filter(({ url }) => url === survivor.url).map(({ client }) => client);
      await untilServed('the survivor goes on', survivors, working);
      stop.abort();
      await working;

      const app = await source.open();
      const log = await readLog(app);
      requireAlternating(log);
      requireAcknowledged(
        log,
        clients.map(({ client }) => client),
      );
      await requireConsistent(app, new SetReader(SET_URL, survivor.url));
      for (const { client } of clients) await client.repost(survivor.url);
      requireEachOnce(
        await readLog(app),
        clients.map(({ client }) => client),
      );
      await requireWholeDocuments(source.folder);
    });
  }

  it('make a new store together', async () => {
    const source = await FaultSource.makeEmpty(store);
    const names = ['a', 'b', 'c'];
    const runs = names.map((name) => source.runProcess(['sets', 'add', name, '--url-prefix', 'http://example.org/']));
    for (const { exitCode, stderr } of await Promise.all(runs)) assert.equal(exitCode, 0, stderr);
    const app = await source.open();
    assert.deepEqual(
      (await app.sets.list()).map(({ slug }) => slug),
      names,
    );
  });
});

function clientsOf(
  { url }: ServingProcess,
  number: number,
  pause: { readonly pause?: number } = {},
): readonly { client: Client; url: string }[] {
  return [
    { client: new SmallRequests(number, pause), url },
    { client: new LongStream(number + 1, pause), url },
  ];
}

function calm({ url }: ServingProcess, number: number): { client: Client; url: string } {
  return { client: new SmallRequests(number, { pause: 50 }), url };
}

async function postByCommand(source: FaultSource, client: Client): Promise<void> {
  const lines = client.next(2_500, 0).map(({ event }) => JSON.stringify(event));
  const post = () => source.runProcess(['changes', 'post', SLUG, '--json'], lines.join('\n'));
  let run = await post();
  // A process that has the store locked may be paused. What is posted once more is known.
  while (run.exitCode === 3 && /try again/.test(run.stderr)) run = await post();
  const { exitCode, stdout, stderr } = run;
  assert.equal(exitCode, 0, stderr);
  const { applied, unchanged } = JSON.parse(stdout);
  assert.equal(applied + unchanged, lines.length);
}

/**
 * Aborted when all has been posted, also what takes longer than it should: a Resource List of several pages is of one
 * state only then.
 */
function endOf(posted: Promise<unknown>): AbortSignal {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  posted.then(end, end);
  return ending.signal;
}

/** Follows the set while it changes: its copy is what the Resource List says afterwards. */
async function followThrough(reader: SetReader, done: AbortSignal): Promise<void> {
  const follower = await Follower.start(reader);
  const relisting = relist(reader, done);
  await follower.follow(done);
  await relisting;
  const { resources } = await reader.resourceList();
  await follower.follow(done);
  assert.deepEqual(sorted(follower.copy), sorted(resources));
}

/** Reads index and pages again and again, so that pages are split and rendered, and old names are asked for. */
async function relist(reader: SetReader, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await reader.resourceList();
    await wait(RELIST_AFTER_MS);
  }
}

async function readUntilDead({ url, process }: ServingProcess): Promise<void> {
  const reader = new SetReader(SET_URL, url);
  let isDead = false;
  const dying = process.exit().finally(() => {
    isDead = true;
  });
  // What it cannot answer in time is asked for again: a document that it does not render does not kill it.
  while (!isDead) await reader.resourceList().catch(() => wait(100));
  assert.equal(await dying, null, process.stderr);
}

async function untilDead(server: ServingProcess, failpoint: string): Promise<void> {
  if (failpoint.includes(':stop')) {
    await untilStopped(server);
    // Long enough that the other one waits for whatever this one holds.
    await wait(300);
    await server.process.kill();
  }
  assert.equal(await server.process.exit(), null, server.process.stderr);
}

function sorted<Value>(byUri: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...byUri].sort(([a], [b]) => (a < b ? -1 : 1));
}
