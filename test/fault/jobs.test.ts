import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import type { StoreLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { connect } from '../../src/stores/sqlite/connection.ts';
import { describeOnEachStore, type StorePlace } from '../support/each-store.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { GatedPayload } from '../support/gated-job.ts';
import type { WorkerOptions } from '../support/job-worker.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { until } from '../support/until.ts';

const SCRIPT = fileURLToPath(new URL('../support/job-worker.ts', import.meta.url));
const LEASE_MS = 1_500;

interface WorkerProcess {
  readonly child: ChildProcess;
  output: string;
}

describeOnEachStore('jobs', (kind) => {
  let folder: string;
  let place: StorePlace;
  let stores: Stores;
  let workers: WorkerProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = kind.place(folder);
    stores = await openStores(place.location);
    workers = [];
  });
  afterEach(async () => {
    for (const { child } of workers) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await stores.close();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  async function start(
    name: string,
    options: Partial<WorkerOptions> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<WorkerProcess> {
    const all = { store: place.location, folder, name, leaseMs: LEASE_MS, concurrency: 1, ...options };
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(all)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    });
    const worker = { child, output: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      worker.output += text;
    });
    workers.push(worker);
    await until(`${name} is ready`, async () => worker.output.includes('ready'));
    return worker;
  }

  const add = (ids: readonly string[], payload: GatedPayload = {}) =>
    stores.jobs.addAll(ids.map((id) => ({ kind: 'work', id, payload })));
  const open = (gate: string) => writeFile(join(folder, gate), '');
  const begun = () => lines('begun');
  const lines = (file: string) => {
    const text = readdirSync(folder).includes(file) ? readFileSync(join(folder, file), 'utf8') : '';
    return text.split('\n').filter((line) => line !== '');
  };
  const begins = (line: string) => until(`${line} begins`, async () => begun().includes(line));
  const done = (id: string) =>
    until(`${id} is done`, async () => {
      const job = await stores.jobs.get(`work/${id}`);
      return job.state === 'done' && job;
    });
  const says = (worker: WorkerProcess, text: string) =>
    until(`it prints ${text}`, async () => worker.output.includes(text));
  /** Each effect happened once, and each job is done. */
  async function requireAllDone(ids: readonly string[]): Promise<void> {
    for (const id of ids) await done(id);
    const effects = readdirSync(folder).filter((name) => name.startsWith('effect-'));
    assert.deepEqual(effects.sort(), ids.map((id) => `effect-${id}`).sort());
  }

  it('of a worker that was killed are done by another one', async () => {
    await add(['a', 'b'], { gate: 'gate' });
    const killed = await start('killed');
    await begins('killed a');
    killed.child.kill('SIGKILL');
    await open('gate');
    await start('other');
    await requireAllDone(['a', 'b']);
    const { attempts, deaths, result } = await stores.jobs.get('work/a');
    assert.deepEqual([attempts, deaths, result], [1, 1, { by: 'other' }]);
  });

  it('of a worker that is paused for longer than its lease are done once', async () => {
    await add(['a'], { gate: 'gate' });
    const paused = await start('paused');
    await begins('paused a');
    paused.child.kill('SIGSTOP');
    await start('other');
    await begins('other a');
    await open('gate');
    await done('a');
    paused.child.kill('SIGCONT');
    await says(paused, '"outcome":"lost"');
    await requireAllDone(['a']);
    const { attempts, deaths, result } = await stores.jobs.get('work/a');
    assert.deepEqual([attempts, deaths, result], [1, 1, { by: 'other' }]);
  });

  it('are done once by workers that claim at the same time, whose clocks are 30 s apart', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `job-${at}`);
    const [behind, ahead] = [await mkdtemp(join(folder, 'clock-')), await mkdtemp(join(folder, 'clock-'))];
    await start('behind', { concurrency: 3 }, new SettableClock(behind, -30).environment);
    await start('ahead', { concurrency: 3 }, new SettableClock(ahead, 30).environment);
    await add(ids);
    await requireAllDone(ids);
    assert.deepEqual(
      begun()
        .map((line) => line.split(' ')[1])
        .sort(),
      ids.toSorted(),
    );
  });

  it('are left to a worker that runs, however far the clocks are apart', async () => {
    await add(['a'], { gate: 'gate' });
    const behind = await mkdtemp(join(folder, 'clock-'));
    await start('behind', {}, new SettableClock(behind, -30).environment);
    await begins('behind a');
    await start('true');
    // The other worker has watched for longer than a lease when the next heartbeats have come.
    const beats = async () => (await stores.jobs.get('work/a')).claim!.beats;
    const before = await beats();
    await until('heartbeats of three leases', async () => (await beats()) > before + 3 * 6);
    await open('gate');
    await requireAllDone(['a']);
    assert.deepEqual(begun(), ['behind a']);
  });

  it('are done when the store has not answered meanwhile', async () => {
    await add(['a', 'b'], { gate: 'gate' });
    const breaking = await breakable(place.location);
    try {
      const worker = await start('one', { store: breaking.location });
      await begins('one a');
      await breaking.stop();
      await open('gate');
      await until('the effect', async () => readdirSync(folder).includes('effect-a'));
      await until('longer than a lease', breaking.isOver);
      await breaking.resume();
      await requireAllDone(['a', 'b']);
      assert.equal(worker.child.exitCode, null);
    } finally {
      await breaking.close();
    }
  });

  it('end, or are given back, when their worker is stopped', async () => {
    await add(['a'], { gate: 'never' });
    await add(['b'], { gate: 'never', ignoresSignal: true });
    const stopped = await start('stopped', { concurrency: 2 });
    await begins('stopped a');
    await begins('stopped b');
    stopped.child.kill('SIGTERM');
    await once(stopped.child, 'exit');
    for (const id of ['a', 'b']) {
      const { state, attempts } = await stores.jobs.get(`work/${id}`);
      assert.deepEqual([state, attempts], ['queued', 0], id);
    }
    await open('never');
    await start('other');
    await requireAllDone(['a', 'b']);
  });
});

/** A way to the store that can be stopped: a proxy in front of Elasticsearch, or a lock on the file of SQLite. */
async function breakable(location: StoreLocation) {
  // SQLite waits for a lock for five seconds before it fails.
  const outage = { sqlite: 6_500, elasticsearch: 2 * LEASE_MS }[location.kind];
  let until = Number.POSITIVE_INFINITY;
  const isOver = async () => performance.now() > until;
  if (location.kind === 'sqlite') {
    const database = connect(location.file);
    return {
      location,
      isOver,
      async stop() {
        database.exec('BEGIN IMMEDIATE');
        until = performance.now() + outage;
      },
      resume: async () => database.exec('ROLLBACK'),
      close: async () => database.close(),
    };
  }
  const proxy = await FaultProxy.start(location.nodes[0]!);
  const cut = async () => ({ cutAfter: 0 });
  let fault: { remove(): void } | undefined;
  return {
    location: { ...location, ...readNodes(proxy.url) },
    isOver,
    async stop() {
      fault = proxy.on(() => true, cut);
      until = performance.now() + outage;
    },
    resume: async () => fault?.remove(),
    close: () => proxy.close(),
  };
}
