import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { FAILPOINTS, type Failpoint } from '../../src/lib/failpoint.ts';
import { askJson } from '../support/ask.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
} from '../support/fault-checks.ts';
import { type Client, isGone, PatientRequests } from '../support/fault-clients.ts';
import { SET_URL, type ServingProcess, SLUG, untilStopped } from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
import { requireHonestLists } from '../support/honest-lists.ts';
import { type ReadResourceList, SetReader } from '../support/set-reader.ts';

type Action = 'kill' | 'stop';

/** Milliseconds that clocks are ahead of the survivor's, in turn. */
const CLOCKS = { kill: [30_000, -30_000], stop: [-30_000, 0] } as const;

/** How often a failpoint is passed before it strikes: late enough that there is something to lose. */
const PASS = 5;

/** Rendering asks the store for nothing that others would take over. */
const AT_THE_STORE = FAILPOINTS.elasticsearch.filter((failpoint) => !failpoint.startsWith('render.'));
const isSplit = (failpoint: Failpoint) => failpoint.startsWith('split.');
/** Many at a time, each in a process of its own. */
const TOGETHER = AT_THE_STORE.filter((failpoint) => !isSplit(failpoint));
const HALF = TOGETHER.length / 2;
/** One in a source: of several processes that split a page at once only one is served. */
const ALONE = AT_THE_STORE.filter(isSplit);

/**
 * Milliseconds of a pause: no request to the store, and no client that waits for a commit, may take more than 30
 * seconds.
 */
const PAUSE = 32_000;
/** Milliseconds that clients and readers wait between two requests, beyond what all of them do, while others sleep. */
const PAUSE_MS = 250;
/**
 * How many resources they post: enough that pages are split, and few enough that a dozen processes read them all
 * again and again.
 */
const KEYS = 160;
/** Milliseconds that it goes on afterwards. */
const AFTERWARDS = 300;

const WAKE_EVERY = 200;
const waking: NodeJS.Timeout[] = [];

interface Strike {
  readonly failpoint: Failpoint;
  readonly action: Action;
  /** Milliseconds that its clock is ahead. */
  readonly clockOffset: number;
}

interface Mortal extends ServingProcess {
  readonly action: Action;
  readonly client: Client;
}

describe('several processes on one Elasticsearch', function () {
  this.timeout(900_000);
  const elasticsearch = useElasticsearch();
  afterEach(async () => {
    for (const timer of waking.splice(0)) clearInterval(timer);
    await closeElasticsearchSources();
  });

  for (const failpoints of [TOGETHER.slice(0, HALF), TOGETHER.slice(HALF)]) {
    it(`lose and double nothing when one dies at each of ${failpoints.join(', ')}, whatever their clocks say`, async () => {
      await loseNothing(elasticsearch.url, strikesAt(failpoints, 'kill'));
    });
  }

  it('lose and double nothing when one sleeps at each of them for longer than any time limit, or dies or sleeps while it splits', async () => {
    // Each in a source of its own, all at the same time, since most of it is waiting.
    const splits = ALONE.map((failpoint) => [...strikesAt([failpoint], 'kill'), ...strikesAt([failpoint], 'stop')]);
    const together = [strikesAt(TOGETHER, 'stop'), ...splits];
    await Promise.all(together.map((strikes) => loseNothing(elasticsearch.url, strikes)));
  });

  it('refuse to write where the clock is 5 minutes off, and say so; the others go on', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const [right, ...wrong] = await Promise.all(
      [0, 5, -5].map((minutes) => source.serve({ clockOffset: minutes * 60_000 })),
    );
    const post = ({ url }: ServingProcess, value: string) =>
      askJson(`${url}/api/sets/${SLUG}/changes`, {
        changes: [{ location: { type: 'rel_path', value }, change: 'created' }],
      });
    for (const [at, where] of ['ahead of', 'behind'].entries()) {
      const refused = await post(wrong[at]!, 'a');
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.match(refused.body.error.message, new RegExp(`clock is (29|30)\\d seconds ${where} Elasticsearch's`));
    }

    assert.equal((await post(right!, 'a')).body.results[0].change, 'created');
    for (const server of wrong) assert.equal((await post(server, 'a')).status, 503);
    const app = await source.open();
    for (const { url } of [right!, ...wrong]) await requireConsistent(app, new SetReader(SET_URL, url));
  });
});

/** Posts to a survivor and to processes that are struck, and compares the outcome with the responses. */
async function loseNothing(storeUrl: string, strikes: readonly Strike[]): Promise<void> {
  const source = await ElasticsearchSource.makeWithPages(storeUrl);
  const pauseMs = strikes.some(({ action }) => action === 'stop') ? PAUSE_MS : 0;
  const [survivor, mortals] = await Promise.all([source.serve(), startMortals(source, strikes, pauseMs)]);
  const lists: ReadResourceList[] = [];
  const stop = new AbortController();
  const own = [1, 2].map((number) => new PatientRequests(number, { pauseMs, keys: KEYS }));
  const clients = [...own, ...mortals.map(({ client }) => client)];
  const reader = new SetReader(SET_URL, survivor.url);
  const following = followOn(reader, { lists, stop: stop.signal }, pauseMs);
  const working = Promise.all([
    following,
    ...own.map((client) => client.post(survivor.url, stop.signal)),
    ...mortals.map(({ client, url }) => client.post(url, stop.signal)),
    ...mortals.map(({ url }) => readUntilGone(url, { lists, stop: stop.signal }, 100 + pauseMs)),
  ]);
  await Promise.race([working, Promise.all(mortals.map(dieOrSleep))]);
  await wait(AFTERWARDS);
  stop.abort();
  await working;

  const app = await source.open();
  const log = await readLog(app);
  requireAlternating(log);
  requireAcknowledged(log, clients);
  requireHonestLists(lists, log);
  await (await following).requireEqual();
  await requireConsistent(app, reader);
  for (const { action, url } of mortals) {
    if (action === 'stop') await requireConsistent(app, new SetReader(SET_URL, url));
  }
  for (const client of clients) await client.repost(survivor.url);
  const after = await readLog(app);
  assert.deepEqual(after.slice(0, log.length), log);
  requireEachOnce(after, clients);
  requireAlternating(after);
  await requireConsistent(app, reader);
}

function startMortals(
  source: ElasticsearchSource,
  strikes: readonly Strike[],
  pauseMs: number,
): Promise<readonly Mortal[]> {
  return Promise.all(
    strikes.map(async ({ action, clockOffset, failpoint }, at) => {
      const pass = isSplit(failpoint) ? 1 : PASS;
      const serving = await source.serve({ failpoint: `${failpoint}:${action}@${pass}`, clockOffset });
      return { ...serving, action, client: new PatientRequests(3 + at, { pauseMs, keys: KEYS }) };
    }),
  );
}

function strikesAt(failpoints: readonly Failpoint[], action: Action): readonly Strike[] {
  return failpoints.map((failpoint, at) => ({ failpoint, action, clockOffset: CLOCKS[action][at % 2]! }));
}

/** Resolves when it is dead, or awake again. */
async function dieOrSleep(mortal: Mortal): Promise<void> {
  const { action, process } = mortal;
  if (action === 'kill') {
    assert.equal(await process.exit(), null, process.stderr);
    return;
  }
  await untilStopped(mortal);
  await wait(PAUSE);
  // The threads of a process each stop at the failpoint when they come by, and any of them stops all.
  const wake = () => process.signal('SIGCONT');
  wake();
  waking.push(setInterval(wake, WAKE_EVERY));
}

interface Reading {
  readonly lists: ReadResourceList[];
  readonly stop: AbortSignal;
}

/** Only a server that is asked for lists splits pages and renders. */
async function readUntilGone(url: string, { lists, stop }: Reading, pause: number): Promise<void> {
  const reader = new SetReader(SET_URL, url);
  try {
    while (!stop.aborted) {
      lists.push(await reader.resourceList());
      await reader.changeWindows();
      await wait(pause);
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Follows the set while it changes. */
async function followOn(reader: SetReader, { lists, stop }: Reading, pause: number): Promise<Follower> {
  const follower = await Follower.start(reader);
  lists.push(follower.baseline);
  await follower.follow(stop, pause);
  return follower;
}
