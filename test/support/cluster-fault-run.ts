import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { type ClusterFault, strike } from './cluster-faults.ts';
import type { ElasticsearchSource } from './elasticsearch-source.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
} from './fault-checks.ts';
import { type Client, LongStream, PatientRequests, untilServed } from './fault-clients.ts';
import { SET_URL, SLUG } from './fault-source.ts';
import { Follower } from './follower.ts';
import { requireHonestLists } from './honest-lists.ts';
import type { NetworkedCluster } from './networked-elasticsearch.ts';
import { type ReadResourceList, SetReader } from './set-reader.ts';
import { TimedReader } from './timed-reader.ts';

/** Milliseconds: ten seconds for waits for the log, the timeout of another request, and a machine that is busy. */
const MOST_MS = 45_000;
/** Milliseconds between two lists, or two steps of the follower. */
const READ_EVERY_MS = 2_000;
/** Milliseconds that clients wait between two requests, beyond what all of them do: three nodes are on one machine. */
const PAUSE_MS = 200;
/** How many resources they post. */
const KEYS = 160;
/** Milliseconds. */
const RECOVERED_WITHIN_MS = 600_000;
const TIMED = ['resourcelist.xml', 'changelist.xml', 'capabilitylist.xml'];

interface FaultRun extends NetworkedCluster {
  readonly source: ElasticsearchSource;
  readonly faults: readonly ClusterFault[];
}

/**
 * Two servers, several clients, readers and a follower work while faults happen to the store. Afterwards everything
 * that was acknowledged is stored once, `verify` finds nothing, the follower has an equal copy, and no reader had to
 * wait.
 */
export async function loseNothingUnderFaults({ elasticsearch, network, source, faults }: FaultRun): Promise<void> {
  const storeUrl = elasticsearch.urls.join(',');
  const servers = await Promise.all([source.serve({ storeUrl }), source.serve({ storeUrl })]);
  const urls = servers.map(({ url }) => url);
  const clients: readonly Client[] = [
    ...[1, 2, 3].map((number) => new PatientRequests(number, { pauseMs: PAUSE_MS, keys: KEYS })),
    new LongStream(4, { pause: PAUSE_MS }),
  ];
  const balanced = readerOf(...urls);
  const timed = urls.flatMap((url) => TIMED.map((name) => new TimedReader(`${url}/sets/${SLUG}/${name}`, MOST_MS)));
  const lists: ReadResourceList[] = [];
  const stop = new AbortController();
  const follower = await Follower.start(balanced);
  const working = Promise.all([
    ...clients.map((client, at) => client.post(urls[at % 2]!, stop.signal)),
    ...urls.map((url) => readOn(readerOf(url), lists, stop.signal)),
    ...timed.map((reader) => reader.readUntil(stop.signal)),
    follower.follow(stop.signal, READ_EVERY_MS),
  ]);
  await untilAllServed('everybody posts', clients, working);
  for (const [at, fault] of faults.entries()) {
    console.log(`      ${new Date().toISOString()} ${at + 1} of ${faults.length}: ${JSON.stringify(fault)}`);
    await Promise.race([working, strike(fault, elasticsearch, network)]);
    await Promise.race([working, wait(fault.pauseSeconds * 1000)]);
    // The cluster is often not whole yet: the next fault meets it while it recovers.
    if (at % 3 === 2) await untilAllServed(`everybody goes on after fault ${at + 1}`, clients, working);
  }
  await untilAllServed('everybody goes on', clients, working);
  stop.abort();
  await working;
  report(timed, clients, lists);

  const app = await source.open(...elasticsearch.urls);
  await requireNothingLost(app, clients, urls[0]!);
  requireHonestLists(lists, await readLog(app));
  await follower.requireEqual();
  for (const url of urls) await requireConsistent(app, new SetReader(SET_URL, url));
  await app.close();
  const { exitCode, stdout, stderr } = await source.run(['verify', SLUG], { storeUrl });
  assert.equal(exitCode, 0, stdout + stderr);
  assert.deepEqual(
    timed.flatMap(({ complaints }) => complaints),
    [],
  );
}

/** As `untilServed`, for longer: three nodes on a busy machine take minutes until all shards are where they were. */
async function untilAllServed(what: string, clients: readonly Client[], working: Promise<unknown>): Promise<void> {
  for (let attempt = 1; attempt < 6; attempt++) {
    try {
      return await untilServed(what, clients, working);
    } catch (error) {
      if (!(error as Error).message.startsWith('not in time')) throw error;
    }
  }
  await untilServed(what, clients, working);
}

async function requireNothingLost(app: App, clients: readonly Client[], url: string): Promise<void> {
  const log = await readLog(app);
  requireAlternating(log);
  requireAcknowledged(log, clients);
  for (const client of clients) await client.repost(url);
  const after = await readLog(app);
  assert.deepEqual(after.slice(0, log.length), log);
  requireAlternating(after);
  requireEachOnce(after, clients);
}

/** One that waits for a cluster that recovers on a busy machine. */
function readerOf(...servers: readonly string[]): SetReader {
  const reader = new SetReader(SET_URL, ...servers);
  reader.timeoutMs = RECOVERED_WITHIN_MS;
  return reader;
}

async function readOn(reader: SetReader, lists: ReadResourceList[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    lists.push(await reader.resourceList());
    await reader.changeWindows();
    await wait(READ_EVERY_MS);
  }
}

/** Prints what happened: a run in which nothing was refused proves little. */
function report(timed: readonly TimedReader[], clients: readonly Client[], lists: readonly unknown[]): void {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  console.log(
    `      ${sum(clients.map(({ answers }) => answers))} events answered, ${sum(clients.map(({ refused }) => refused))}`,
    `posts refused; ${lists.length} lists compared; ${sum(timed.map(({ served }) => served))} documents served,`,
    `${sum(timed.map(({ refused }) => refused))} refused, the slowest after`,
    `${Math.max(...timed.map(({ longestMs }) => longestMs))} ms`,
  );
}
