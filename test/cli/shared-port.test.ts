import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore, SQLITE, type StoreKind, type StorePlace } from '../support/each-store.ts';
import { parseExposition, sampleOf } from '../support/exposition.ts';
import { findFreePort } from '../support/free-port.ts';
import {
  killTidemarks,
  type RunningTidemark,
  runTidemark,
  startProcess,
  startTidemark,
} from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';

const PREFIX = 'https://data.example.org/papers/';
/** Each reaches one of two servers by chance: that all reach the same one happens once in thirty thousand runs. */
const CONNECTIONS = 16;

interface Server {
  readonly process: RunningTidemark;
  /** At its own port. */
  readonly url: string;
}

/** A data folder and a store, with the servers that share a port. */
class Source {
  folder = '';
  port = 0;
  #place: StorePlace | undefined;
  readonly #agents: Agent[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async make(store: StoreKind): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    this.#place = store.place(this.folder);
    this.port = await findFreePort();
  }

  async close(): Promise<void> {
    for (const agent of this.#agents.splice(0)) agent.destroy();
    await killTidemarks();
    await this.#place!.dispose();
    await rm(this.folder, { recursive: true });
  }

  async run(...args: string[]): Promise<void> {
    const { exitCode, stderr } = await runTidemark(args, this.options());
    assert.equal(exitCode, 0, stderr);
  }

  options() {
    return { cwd: this.folder, env: { ...this.#place!.environment, TIDEMARK_PORT: String(this.port) } };
  }

  /** Starts a server that shares the port, in this process, and resolves when it serves. */
  serve(...args: string[]): Promise<Server> {
    return this.#serve(startTidemark, args);
  }

  /** The same in a process of its own, which can be killed. */
  serveProcess(...args: string[]): Promise<Server> {
    return this.#serve(startProcess, args);
  }

  async #serve(start: typeof startProcess, args: readonly string[]): Promise<Server> {
    const own = await findFreePort();
    const all = ['serve', '--share-port', '--own-port', String(own), '--log-level', 'error', ...args];
    const process = start(all, this.options());
    await process.says(/Serving \d+ sets?/);
    return { process, url: `http://127.0.0.1:${own}` };
  }

  /** A connection to the shared port that is kept open, so one of the servers answers all its requests. */
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
}

async function appliedBy({ url }: Server): Promise<number> {
  const scrape = parseExposition((await ask(`${url}/metrics`)).text);
  return sampleOf(scrape, 'tidemark_events_total', { result: 'applied', reason: 'created' });
}

function eventOf(n: number): object {
  return { changes: [{ location: { value: `${n}`, type: 'rel_path' }, change: 'created', length: n }] };
}

describeOnEachStore('Two servers of one store that share a port', (store) => {
  const source = new Source();

  beforeEach(() => source.make(store));
  afterEach(() => source.close());

  it('both answer and take posts there; when one is killed, the other goes on', async () => {
    await source.run('sets', 'add', 'papers', '--url-prefix', PREFIX);
    const first = await source.serveProcess();
    const second = await source.serveProcess('--no-sources');

    const connections = Array.from({ length: CONNECTIONS }, () => source.connect());
    const posted = await Promise.all(connections.map((asking, n) => asking('/api/sets/papers/changes', eventOf(n))));
    assert.deepEqual(new Set(posted.map(({ status }) => status)), new Set([200]));
    const lists = await Promise.all(connections.map((asking) => asking('/sets/papers/resourcelist.xml')));
    for (const { text: list } of lists) assert.equal(list.match(/<loc>/g)?.length, CONNECTIONS);
    const applied = await Promise.all([first, second].map(appliedBy));
    assert.ok(applied.every((count) => count > 0));
    assert.equal(applied[0]! + applied[1]!, CONNECTIONS);

    await second.process.kill();
    const again = await Promise.all(connections.map((asking) => asking('/healthz').catch(() => undefined)));
    const kept = again.filter((answer) => answer?.isReused).length;
    assert.ok(kept > 0 && kept < CONNECTIONS, `${kept} connections were those of the server that still runs`);
    for (const asking of Array.from({ length: CONNECTIONS }, () => source.connect())) {
      assert.equal((await asking('/healthz')).status, 200);
    }

    first.process.signal('SIGTERM');
    assert.equal(await first.process.exit(), 0, first.process.stderr);
  });
});

describe('A server', () => {
  const source = new Source();

  beforeEach(() => source.make(SQLITE));
  afterEach(() => source.close());

  it('that was started with --no-sources and --no-jobs scans nothing, and archives nothing', async () => {
    await mkdir(join(source.folder, 'maps'));
    await writeFile(join(source.folder, 'maps', 'a.txt'), 'a');
    await source.run('sets', 'add', 'maps', '--root', 'maps');
    const second = await source.serve('--no-sources', '--no-jobs', '--archive', '100ms');
    const first = await source.serve();
    await until('the first server has scanned', async () => (await ask(`${second.url}/readyz`)).status === 200);
    assert.equal((await askJson(`${second.url}/api/sets/maps`)).body.resources, 1);

    const [scansOfFirst, scansOfSecond] = await Promise.all([first, second].map(scansOf));
    assert.ok(scansOfFirst! > 0);
    assert.equal(scansOfSecond, 0);
    const { body } = await askJson(`${second.url}/api/status`);
    assert.deepEqual(body.scanning, []);
    const archivings = parseExposition((await ask(`${second.url}/metrics`)).text).samples.filter(
      ({ name }) => name === 'tidemark_archivings_total',
    );
    assert.deepEqual(new Set(archivings.map(({ value }) => value)), new Set([0]));
  });

  it('shares its port with no server of another store, and with none that does not share', async () => {
    await source.serve();
    const { port } = source;
    const other = ['serve', '--port', String(port), '--data', 'another'];
    for (const args of [other, [...other, '--share-port'], ['serve', '--port', String(port)]]) {
      const { exitCode, stderr } = await runTidemark(args, { cwd: source.folder });
      assert.equal(exitCode, 2);
      assert.match(stderr, new RegExp(`port ${port} of 127.0.0.1 is taken by another program`));
    }
  });

  it('that does not share its port keeps the others out, with what to do', async () => {
    const alone = startTidemark(['serve', '--log-level', 'error'], source.options());
    await alone.says(/Serving 0 sets/);
    const { exitCode, stderr } = await runTidemark(['serve', '--share-port'], source.options());
    assert.equal(exitCode, 2);
    assert.match(stderr, /start all servers of a store with --share-port and the same --store/);
  });

  it('shows its own figures at its own port', async () => {
    const [first, second] = [await source.serve(), await source.serve('--no-sources')];
    const port = new URL(second.url).port;
    const { exitCode, stdout } = await runTidemark(['status', '--own-port', port, '--json'], source.options());
    assert.equal(exitCode, 0);
    assert.deepEqual([JSON.parse(stdout).server.state, JSON.parse(stdout).server.url], ['running', second.url]);
    assert.notEqual(first.url, second.url);
  });
});

async function scansOf({ url }: Server): Promise<number> {
  const { samples } = parseExposition((await ask(`${url}/metrics`)).text);
  return samples.filter(({ name }) => name === 'tidemark_scans_total').reduce((total, { value }) => total + value, 0);
}
