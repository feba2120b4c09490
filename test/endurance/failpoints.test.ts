import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { startServer } from '../../src/http/server/server.ts';
import { FAILPOINTS, type Failpoint } from '../../src/lib/failpoint.ts';
import { describeOnEachStore, type StoreKind } from '../support/each-store.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
  requireWholeDocuments,
} from '../support/fault-checks.ts';
import { type Client, isGone, LongStream, SmallRequests } from '../support/fault-clients.ts';
import { closeFaultSources, FaultSource, SET_URL, type ServingProcess, SLUG } from '../support/fault-source.ts';
import { type ListedChange, SetReader } from '../support/set-reader.ts';

/**
 * Processes that sleep, and wake up late, are in two-processes.test.ts; with Elasticsearch, several processes die or
 * sleep at all the others: elasticsearch-two-processes.test.ts.
 */
const STRIKES: Readonly<Record<StoreKind['kind'], readonly Failpoint[]>> = {
  sqlite: FAILPOINTS.sqlite,
  elasticsearch: FAILPOINTS.elasticsearch.filter((failpoint) => failpoint.startsWith('render.')),
};

/** How often a failpoint is passed before it strikes: late enough that there is something to lose. */
const PASS: Readonly<Record<StoreKind['kind'], Readonly<Record<string, number>>>> = {
  sqlite: { commit: 15, split: 2, render: 12 },
  elasticsearch: { render: 2 },
};

const CLIENTS: Readonly<Record<StoreKind['kind'], () => readonly Client[]>> = {
  sqlite: () => [new SmallRequests(1), new SmallRequests(2), new LongStream(3)],
  // Each document waits until what was posted before is applied: without pauses, few would be rendered.
  elasticsearch: () => [1, 2].map((number) => new SmallRequests(number, { pause: 50 })),
};

/**
 * What clients have read of a server before it died: closed windows, by the digests of their documents, and changes.
 */
interface ReadBefore {
  readonly closed: ReadonlyMap<string, string>;
  readonly changes: ReadonlyMap<string, ListedChange>;
}

describeOnEachStore('a server that dies', function (store) {
  this.timeout(600_000);
  let compared = 0;
  afterEach(closeFaultSources);
  // A server may die before anything is read of it, as those on Elasticsearch do at their second document; but not each
  // of them.
  if (store.kind === 'sqlite') after(() => assert.ok(compared > 0, 'nothing was read before a server died'));

  for (const failpoint of STRIKES[store.kind]) {
    it(`loses nothing that it acknowledged when it is killed at ${failpoint}`, async () => {
      compared += await dieAndRestart(store, failpoint);
    });
  }

  it('restarts by the command line, which finds nothing wrong', async () => {
    const source = await FaultSource.makeWithPages(store);
    const clients = [new SmallRequests(1), new LongStream(2)];
    await postUntilDead(clients, await source.serve({ failpoint: 'commit.logged:kill@30' }));

    const verified = await source.run(['verify', SLUG, '--published']);
    assert.equal(verified.exitCode, 0, verified.stderr);
    const { url } = await source.serve();
    await repost(clients, url);
    const again = await source.run(['verify', SLUG, '--published']);
    assert.equal(again.exitCode, 0, again.stderr);
    const app = await source.open();
    await requireConsistent(app, new SetReader(SET_URL, url));
    requireEachOnce(await readLog(app), clients);
  });
});

/** Returns how many changes were read before, and compared. */
async function dieAndRestart(store: StoreKind, failpoint: Failpoint): Promise<number> {
  const source = await FaultSource.makeWithPages(store);
  const pass = PASS[store.kind][failpoint.split('.')[0]!];
  const clients = CLIENTS[store.kind]();
  const read = await postUntilDead(clients, await source.serve({ failpoint: `${failpoint}:kill@${pass}` }));
  // No other process has its file open, so there is nothing to wait for.
  if (store.kind === 'sqlite') assert.ok(clients.every(({ refused }) => refused === 0));

  const leftOver = await requireWholeDocuments(source.folder);
  // A body without a record is what this failpoint is about: the restart must not take it for a document.
  if (failpoint === 'render.written') assert.ok(leftOver >= 1);

  const app = await source.open();
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  try {
    await requireRecovered(app, clients, { url: server.url, read });
  } finally {
    await server.close();
  }
  await requireWholeDocuments(source.folder);
  return read.changes.size;
}

async function requireRecovered(
  app: App,
  clients: readonly Client[],
  { url, read }: { readonly url: string; readonly read: ReadBefore },
): Promise<void> {
  const reader = new SetReader(SET_URL, url);
  for (const [uri, digest] of read.closed) reader.closed.set(uri, digest);
  await requireConsistent(app, reader);
  for (const [datetime, change] of read.changes) assert.deepEqual(reader.changes.get(datetime), change);
  const log = await readLog(app);
  requireAlternating(log);
  requireAcknowledged(log, clients);

  await repost(clients, url);
  const after = await readLog(app);
  assert.deepEqual(after.slice(0, log.length), log);
  requireEachOnce(after, clients);
  requireAlternating(after);
  await requireConsistent(app, reader);
  await reader.requireClosedUnchanged();
}

/** Posts and reads until the server is dead. */
async function postUntilDead(clients: readonly Client[], { process, url }: ServingProcess): Promise<ReadBefore> {
  const stop = new AbortController();
  const posting = Promise.all(clients.map((client) => client.post(url, stop.signal)));
  const reading = readUntilGone(url, clients, stop);
  const working = Promise.all([posting, reading]);
  try {
    assert.equal(await process.exit(), null, `it exited by itself: ${process.stderr}`);
  } finally {
    stop.abort();
    await process.kill();
  }
  await working;
  return reading;
}

/**
 * Reads all lists again and again, from the first answer to a client on; the reader complains about a document that is
 * not whole.
 */
async function readUntilGone(
  url: string,
  clients: readonly Client[],
  { signal }: AbortController,
): Promise<ReadBefore> {
  const reader = new SetReader(SET_URL, url);
  while (!signal.aborted && clients.every(({ answers }) => answers === 0)) await wait(5);
  try {
    while (!signal.aborted) {
      await reader.changeWindows();
      await reader.resourceList();
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return reader;
}

/** Posts everything once more, as a client does that does not know how far it came. */
async function repost(clients: readonly Client[], url: string): Promise<void> {
  for (const client of clients) await client.repost(url);
}
