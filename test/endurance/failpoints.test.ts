import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { FAILPOINTS, type Failpoint } from '../../src/domain/failpoint.ts';
import { startServer } from '../../src/http/server.ts';
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
import { SetReader } from '../support/set-reader.ts';

/** Those who sleep, and wake up late, are in two-processes.test.ts; with Elasticsearch, several processes die or sleep at all the others: elasticsearch-two-processes.test.ts. */
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

describeOnEachStore('a server that dies', function (store) {
  this.timeout(600_000);
  afterEach(closeFaultSources);

  for (const failpoint of STRIKES[store.kind]) {
    it(`loses nothing that it acknowledged when it is killed at ${failpoint}`, async () => {
      await dieAndRestart(store, failpoint);
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

async function dieAndRestart(store: StoreKind, failpoint: Failpoint): Promise<void> {
  const source = await FaultSource.makeWithPages(store);
  const pass = PASS[store.kind][failpoint.split('.')[0]!];
  const clients = CLIENTS[store.kind]();
  await postUntilDead(clients, await source.serve({ failpoint: `${failpoint}:kill@${pass}` }));
  // Nobody else holds its file, and so there is nothing to wait for.
  if (store.kind === 'sqlite') assert.ok(clients.every(({ refused }) => refused === 0));

  const leftOver = await requireWholeDocuments(source.folder);
  // A body without a record is what this failpoint is about: the restart must not take it for a document.
  if (failpoint === 'render.written') assert.ok(leftOver >= 1);

  const app = await source.open();
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  try {
    await requireRecovered(app, clients, server.url);
  } finally {
    await server.close();
  }
  await requireWholeDocuments(source.folder);
}

async function requireRecovered(app: App, clients: readonly Client[], url: string): Promise<void> {
  const reader = new SetReader(SET_URL, url);
  await requireConsistent(app, reader);
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
async function postUntilDead(clients: readonly Client[], { process, url }: ServingProcess): Promise<void> {
  const stop = new AbortController();
  const working = Promise.all([
    ...clients.map((client) => client.post(url, stop.signal)),
    readUntilGone(url, clients, stop),
  ]);
  try {
    assert.equal(await process.exit(), null, `it exited by itself: ${process.stderr}`);
  } finally {
    stop.abort();
    await process.kill();
  }
  await working;
}

/** Reads all lists again and again, from the first answer to a client on; the reader complains about a document that is not whole. */
async function readUntilGone(url: string, clients: readonly Client[], { signal }: AbortController): Promise<void> {
  const reader = new SetReader(SET_URL, url);
  while (!signal.aborted && clients.every(({ answers }) => answers === 0)) await wait(5);
  try {
    while (!signal.aborted) {
      await reader.resourceList();
      await reader.changeWindows();
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Posts everything once more, as a client does that does not know how far it came. */
async function repost(clients: readonly Client[], url: string): Promise<void> {
  for (const client of clients) await client.repost(url);
}
