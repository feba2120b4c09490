import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ask, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore, SQLITE, type StoreKind, type StorePlace } from '../support/each-store.ts';
import { parseExposition, type Scrape, sampleOf } from '../support/exposition.ts';
import { findFreePort } from '../support/free-port.ts';
import { killTidemarks, type RunningTidemark, runTidemark, startTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';

const PREFIX = 'https://data.example.org/papers/';
/** Each comes to one of two processes by chance: that all come to the same is one in thirty thousand. */
const CONNECTIONS = 16;

/** A folder and a store, and what runs on them. */
class Source {
  folder = '';
  url = '';
  #place: StorePlace | undefined;
  readonly #agents: Agent[] = [];

  async make(store: StoreKind): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    this.#place = store.place(this.folder);
  }

  async close(): Promise<void> {
    for (const agent of this.#agents.splice(0)) agent.destroy();
    await killTidemarks();
    await this.#place!.dispose();
    await rm(this.folder, { recursive: true });
  }

  /** Starts it with one set, and resolves when it serves. */
  async serve(): Promise<RunningTidemark> {
    const port = await findFreePort();
    this.url = `http://127.0.0.1:${port}`;
    const options = { cwd: this.folder, env: { ...this.#place!.environment, TIDEMARK_PORT: String(port) } };
    const added = await runTidemark(['sets', 'add', 'papers', '--url-prefix', PREFIX], options);
    assert.equal(added.exitCode, 0, added.stderr);
    const first = startTidemark(['serve', '--processes', '2', '--log-level', 'error'], options);
    await first.says(/Serving 1 set/);
    return first;
  }

  /** A connection that is kept, and that one of the processes answers. */
  connect() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.#agents.push(agent);
    return async (path: string, body?: object) => {
      const method = body === undefined ? 'GET' : 'POST';
      const asking = request(this.url + path, { agent, method, headers: body === undefined ? {} : JSON_BODY });
      asking.end(body && JSON.stringify(body));
      const [response] = (await once(asking, 'response')) as [IncomingMessage];
      return { status: response.statusCode, text: await text(response), isReused: asking.reusedSocket };
    };
  }

  async scrape(): Promise<Scrape> {
    return parseExposition((await ask(`${this.url}/metrics`)).text);
  }
}

describeOnEachStore('A server of two processes', (store) => {
  const source = new Source();

  beforeEach(() => source.make(store));
  afterEach(() => source.close());

  it('answers, takes posts and is measured as one, replaces a process that dies, and stops as a whole', async () => {
    const first = await source.serve();
    const connections = Array.from({ length: CONNECTIONS }, () => source.connect());
    const posted = await Promise.all(connections.map((asking, n) => asking('/api/sets/papers/changes', eventOf(n))));
    assert.deepEqual(new Set(posted.map(({ status }) => status)), new Set([200]));
    const lists = await Promise.all(connections.map((asking) => asking('/sets/papers/resourcelist.xml')));
    for (const { text: list } of lists) assert.equal(list.match(/<loc>/g)?.length, CONNECTIONS);

    const scrapes = await inTime(() =>
      Promise.all(connections.map(async (asking) => parseExposition((await asking('/metrics')).text))),
    );
    for (const told of scrapes) {
      assert.equal(sampleOf(told, 'tidemark_processes'), 2);
      assert.equal(sampleOf(told, 'tidemark_resources'), CONNECTIONS);
      assert.equal(applied(told), CONNECTIONS);
      assert.equal(postings(told), CONNECTIONS);
    }
    const { status, text: live } = await inTime(() => connections[0]!('/api/status'));
    assert.equal(status, 200);
    assert.equal(JSON.parse(live).events.applied, CONNECTIONS);
    assert.equal(JSON.parse(live).processes, 2);

    const [further] = childrenOf(first.pid);
    process.kill(further!, 'SIGKILL');
    await first.says(/process 2 ended \(SIGKILL\)/);
    assert.equal(applied(await source.scrape()), CONNECTIONS);
    const again = await Promise.all(connections.map((asking) => asking('/healthz').catch(() => undefined)));
    const kept = again.filter((answer) => answer?.isReused).length;
    assert.ok(kept > 0 && kept < CONNECTIONS, `${kept} connections were those of the first process`);
    await until('two processes serve', async () => sampleOf(await source.scrape(), 'tidemark_processes') === 2);
    assert.equal(applied(await inTime(() => source.scrape())), CONNECTIONS);

    // As a terminal does.
    const all = [first.pid, ...childrenOf(first.pid)];
    assert.equal(all.length, 2);
    for (const pid of all) process.kill(pid, 'SIGINT');
    assert.equal(await first.exit(), 0, first.stderr);
    assert.deepEqual(all.filter(isRunning), []);
    assert.equal(first.stderr.match(/ended/g)?.length, 1, first.stderr);
  });
});

describe('The processes of a server', () => {
  const source = new Source();

  beforeEach(() => source.make(SQLITE));
  afterEach(() => source.close());

  it('end when the first one is killed, and keep the port from others until then', async () => {
    const first = await source.serve();
    const second = ['serve', '--processes', '2', '--port', new URL(source.url).port, '--data', 'another'];
    const refused = await runTidemark(second, { cwd: source.folder });
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /port \d+ of 127.0.0.1 is taken/);

    const [further] = childrenOf(first.pid);
    await first.kill();
    await until('the further process has ended', async () => !isRunning(further!));
  });

  it('are not fewer than was asked for: when one cannot start, the command says so and ends', async () => {
    const file = join(source.folder, 'fail.cjs');
    await writeFile(file, `if (process.argv[1]?.includes('serving-process')) process.exit(7)`);
    const env = { NODE_OPTIONS: `--require ${file}`, TIDEMARK_PORT: String(await findFreePort()) };
    const first = startTidemark(['serve', '--processes', '3'], { cwd: source.folder, env });
    assert.equal(await first.exit(), 3);
    assert.match(first.stderr, /a further process of this server ended before it served \(exit code 7\)/);
  });

  it('are 1 to 64', async () => {
    for (const wrong of ['0', '65', '1.5', 'all']) {
      const { exitCode, stderr } = await runTidemark(['serve', '--processes', wrong], { cwd: source.folder });
      assert.equal(exitCode, 2);
      assert.match(stderr, /--processes .* is no number of processes: use a whole number from 1 to 64/);
    }
  });
});

/** Asks for figures until all processes answered in time: one that takes three seconds is told of as it was before, or not at all. */
async function inTime<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const began = performance.now();
    const answer = await ask();
    if (performance.now() - began < 2_500) return answer;
  }
}

function eventOf(n: number): object {
  return { changes: [{ location: { value: `${n}`, type: 'rel_path' }, change: 'created', length: n }] };
}

function applied(told: Scrape): number {
  return sampleOf(told, 'tidemark_events_total', { result: 'applied', reason: 'created' });
}

function postings(told: Scrape): number {
  return sampleOf(told, 'tidemark_http_request_seconds_count', { route: '/api/sets/:set/changes', status: '2xx' });
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => statOf(child)?.parent === pid);
}

/** A process that has ended and that nobody has asked for its exit code is none any more. */
function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== 'Z';
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    // The second field is the program's name in parentheses, and may hold spaces.
    const [, state = '', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ')').split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
