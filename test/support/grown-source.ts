import assert from 'node:assert/strict';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import type { StoreKind, StorePlace } from './each-store.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
} from './fault-checks.ts';
import { type Client, PatientRequests } from './fault-clients.ts';
import { FaultSource, SET_URL, type ServingProcess } from './fault-source.ts';
import { Follower } from './follower.ts';
import { type FinishedRun, runProcess } from './run-tidemark.ts';
import { SetReader } from './set-reader.ts';
import { until } from './until.ts';
import { WorkUnderWay } from './work-under-way.ts';

/** The arguments that name a store to `tidemark grow`. */
export function growArguments({ location }: StorePlace): readonly string[] {
  if (location.kind === 'sqlite') return ['grow', `sqlite:${location.file}`];
  return ['grow', location.nodes.join(','), '--grow-prefix', location.prefix];
}

/**
 * Moves the store of a source, in a process of its own.
 * @param failpoint where it is killed or stopped
 * @param more arguments
 */
export function growSource(
  source: FaultSource,
  next: StorePlace,
  failpoint?: string,
  ...more: readonly string[]
): Promise<FinishedRun> {
  const env = source.environment({ failpoint });
  return runProcess([...growArguments(next), ...more, '--json'], { cwd: source.folder, env });
}

/** Where `grow` dies, in this order: a store is not copied again when it is marked already. */
export function failpointsOf({ kind }: StoreKind): readonly string[] {
  return FAILPOINTS.grow.filter((name) => kind === 'elasticsearch' || !name.startsWith('fence.'));
}

/**
 * Moves a source to another store while clients post, files are scanned, uploads are processed and a copy follows;
 * `grow` is killed at each failpoint, and called again. Then all of them and the checks go on at the new store.
 */
export async function growWithDeaths(from: StoreKind, to: StoreKind, deaths: readonly string[]): Promise<void> {
  const source = await FaultSource.makeWithPages(from);
  const next = to.place(`${source.folder}/next`);
  const work = await WorkUnderWay.prepare(source);
  const old = await source.serve();
  work.begin(old.url);
  const clients: readonly Client[] = [new PatientRequests(1), new PatientRequests(2)];
  const follower = await Follower.start(new SetReader(SET_URL, old.url));
  const posting = postAll(clients, old);

  for (const failpoint of deaths) {
    const { exitCode, stdout, stderr } = await growSource(source, next, `${failpoint}:kill`);
    assert.equal(exitCode, null, `it was not killed at ${failpoint}: ${stdout}${stderr}`);
    await follow(follower);
    // When it dies before the mark, the old store goes on by itself; afterwards, it only answers readers.
    if (!isMarked(failpoint)) await untilAnswered(clients);
  }
  const { exitCode, stdout, stderr } = await growSource(source, next);
  assert.equal(exitCode, 0, stdout + stderr);
  const { pauseMs } = JSON.parse(stdout);
  assert.ok(pauseMs < 10_000, `${pauseMs} ms`);
  await Promise.all([posting.stop(), work.stop()]);
  await follow(follower);
  const acknowledged = clients.map(({ answers }) => answers);

  const refused = await source.run(['status']);
  assert.equal(refused.exitCode, 3);
  assert.match(refused.stderr, /the store has moved to /);
  source.useStore(next);
  const now = await source.serve();
  // What was refused at the end is taken now, and what was answered is known.
  for (const client of clients) await client.repost(now.url);
  const later = postAll(clients, now);
  await until('clients are answered', async () => clients.every(({ answers }, at) => answers > acknowledged[at]!));
  await later.stop();
  const app = await source.open();
  const log = await readLog(app);
  requireAlternating(log);
  requireAcknowledged(log, clients);
  const reader = new SetReader(SET_URL, now.url);
  await requireConsistent(app, reader);
  await requireFollowed(follower, reader);
  requireEachOnce(await readLog(app), clients);
  await work.requireEachOnce(app, now.url);
}

/** A slow store may answer 503; then the copy is continued. */
function follow(follower: Follower): Promise<boolean> {
  return until('the copy is followed', () =>
    follower.step().then(
      () => true,
      (error: Error) => {
        if (/"code":"unavailable"/.test(error.message)) return false;
        throw error;
      },
    ),
  );
}

function isMarked(failpoint: string): boolean {
  return failpoint === 'grow.moved' || failpoint === 'grow.marked';
}

async function untilAnswered(clients: readonly Client[]): Promise<void> {
  const before = clients.map(({ answers }) => answers);
  await until('the old store takes changes', async () => clients.some(({ answers }, at) => answers > before[at]! + 3));
}

/** The copy has what the new store lists, from the changes that it was sent by both. */
async function requireFollowed(follower: Follower, reader: SetReader): Promise<void> {
  const { resources } = await reader.resourceList();
  const further = await Follower.start(reader);
  assert.deepEqual([...further.copy], [...resources]);
  for (const { changes } of await reader.changeWindows(follower.reached)) {
    for (const { uri, length, change, datetime } of changes) {
      if (datetime <= follower.reached) continue;
      if (change === 'deleted') follower.copy.delete(uri);
      else follower.copy.set(uri, { uri, length });
    }
  }
  const sorted = (copy: ReadonlyMap<string, unknown>) => [...copy.values()].map((each) => JSON.stringify(each)).sort();
  assert.deepEqual(sorted(follower.copy), sorted(resources));
}

function postAll(clients: readonly Client[], { url }: ServingProcess) {
  const stopping = new AbortController();
  const posted = Promise.all(clients.map((client) => client.post(url, stopping.signal)));
  posted.catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await posted;
    },
  };
}
