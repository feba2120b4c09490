import assert from 'node:assert/strict';
import { verify } from '../../src/backup/verify/verify.ts';
import { publishedOf } from '../../src/cli/commands/verify-set.ts';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { SetReader } from '../support/set-reader.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const ONE = 'https://one.example.org/p/';
const NEXT = 'https://next.example.org/p/';
const NAMES = Array.from({ length: 20 }, (_, number) => String(number).padStart(2, '0'));

/** Posts the same resources again and again, as URLs below the prefix that is to come. */
class UrlClient {
  readonly #url: string;
  #stopped = false;
  posted = 0;
  length = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      this.length += 1;
      const changes = NAMES.map((name) => ({
        location: { value: NEXT + name, type: 'url' },
        change: 'updated',
        length: this.length,
      }));
      const { body } = await askJson(this.#url, { changes });
      for (const { status, code } of body.results) assert.ok(status !== 'rejected' || code === 'moved', code);
      this.posted += 1;
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}

describeOnEachStore('A set that is moved while clients post URLs below the new prefix', (store) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(store);
  });
  afterEach(closeApps);

  it('has one resource for each URI, in its last state', async () => {
    const { app, url } = started;
    await app.sets.add({ slug: 's', urlPrefix: ONE, pageEntries: 7 });
    const client = new UrlClient(`${url}/api/sets/s/changes`);
    const running = client.run();
    const reader = new SetReader(`${url}/sets/s/`);
    await until('it posts', async () => client.posted > 2);
    await reader.resourceList();
    await app.sets.move('s', NEXT);
    const moved = client.posted;
    await until('it goes on', async () => client.posted > moved + 2);
    client.stop();
    await running;

    const { resources } = await reader.resourceList();
    assert.deepEqual(
      [...resources.keys()],
      NAMES.map((name) => NEXT + name),
    );
    assert.ok([...resources.values()].every(({ length }) => length === client.length));
    const published = publishedOf(app, await app.sets.source());
    const set = await app.sets.bySlug('s');
    const { differences } = await verify({ set, index: app.index, published });
    assert.deepEqual(differences.first, []);
  });
});
