import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { TOKEN } from '../fixtures/store-place.ts';
import type { ExpectedRelease } from '../fixtures/write-more.ts';
import { ask, askJson } from '../support/ask.ts';
import { onElasticsearch, SQLITE, type StorePlace } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { growArguments } from '../support/grown-source.ts';
import { placeRelease, SERVED } from '../support/release-store.ts';
import { sendTus } from '../support/tus.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const ADMINISTRATOR = { authorization: `Bearer ${TOKEN}` };
/** ETags of files of folders name the inode. */
const OF_FOLDERS = /^\/sets\/(files|kept)\/resources\//;
const COMMANDS = [
  'status',
  'serve --port 0',
  'work',
  'archive',
  'scan files',
  'publish files',
  'sets list',
  'jobs list',
];

describe('tidemark grow', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());
  let place: Workplace;
  let next: StorePlace;
  let expected: ExpectedRelease;

  afterEach(async () => {
    await place.close();
    await next.dispose();
  });

  const environmentOf = ({ environment }: StorePlace) => ({
    ...SERVED,
    TIDEMARK_INDEX_PREFIX: undefined,
    TIDEMARK_STORE_SHARDS: undefined,
    ...environment,
  });
  const run = (command: readonly string[], store: StorePlace = next) =>
    place.run([...command, '--json'], { env: environmentOf(store) });
  const runs = async (command: readonly string[], store?: StorePlace) => {
    const { exitCode, stdout, stderr } = await run(command, store);
    assert.equal(exitCode, 0, `${command.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  const serve = async (store: StorePlace, options: readonly string[] = []) => {
    const args = ['serve', '--port', '0', '--json', '--log-level', 'error', ...options];
    const server = place.start(args, { env: environmentOf(store) });
    const [, port] = await server.says(/"port":(\d+)/);
    return { server, url: `http://127.0.0.1:${port}` };
  };

  for (const [title, from, to] of [
    ['from SQLite to Elasticsearch', SQLITE, elasticsearch],
    ['from Elasticsearch to SQLite', elasticsearch, SQLITE],
  ] as const) {
    it(`takes everything along ${title}: documents, ETags, the API, tokens, uploads, the memory of scans`, async () => {
      place = await Workplace.make(from);
      next = to.place(join(place.folder, 'next'));
      expected = await placeRelease('187aaf86', place.store, place.folder);
      await runs(['migrate'], place.store);
      const grown = await runs(growArguments(next), place.store);
      assert.ok(grown.changes > 100 && grown.jobs > 0, JSON.stringify(grown));

      for (const command of COMMANDS) {
        const { exitCode, stderr } = await run(command.split(' '), place.store);
        assert.deepEqual(
          [exitCode, /has moved to .*: set TIDEMARK_STORE/.test(stderr)],
          [3, true],
          `${command}: ${stderr}`,
        );
      }
      for (const set of ['files', 'kept']) assert.equal((await runs(['scan', set])).hashed, 0);
      const { server, url } = await serve(next, ['--no-jobs']);
      const changed: string[] = [];
      for (const [path, { etag, sha256 }] of Object.entries(expected.documents)) {
        const { bytes, headers } = await ask(url + path, { headers: ADMINISTRATOR });
        const isSame = OF_FOLDERS.test(path) || headers.etag === (etag ?? undefined);
        if (!isSame || hash('sha256', bytes) !== sha256) changed.push(path);
      }
      assert.deepEqual(changed, []);
      const file = Buffer.from(expected.resumableFile, 'base64');
      const authorization = `Bearer ${expected.token}`;
      assert.equal((await sendTus(url + expected.resumable, 200, file.subarray(200), { authorization })).status, 204);
      await server.kill();
      const working = await serve(next);
      await until('the uploads that waited are processed', async () => {
        const { body } = await askJson(`${working.url}/api/organizations/lane/uploads`, undefined, ADMINISTRATOR);
        return body.uploads.every(({ status }: { status: string }) => /^(processed|failed)$/.test(status));
      });
      for (const set of ['maps', 'kept', 'cdl']) {
        assert.equal((await runs(['verify', set, '--published'])).equal, true, set);
      }
    });
  }

  it('leaves a server of the old store that answers reads, and takes no changes; a take-back makes it the store again', async () => {
    place = await Workplace.make(SQLITE);
    next = SQLITE.place(join(place.folder, 'next'));
    await runs(['sets', 'add', 'maps', '--url-prefix', 'http://example.org/maps/'], place.store);
    const old = place.startProcess(['serve', '--port', '0', '--json'], { env: environmentOf(place.store) });
    const [, port] = await old.says(/"port":(\d+)/);
    const post = (value: string) =>
      askJson(
        `http://127.0.0.1:${port}/api/sets/maps/changes`,
        { changes: [{ location: { type: 'rel_path', value }, change: 'updated', length: 1 }] },
        ADMINISTRATOR,
      );
    assert.equal((await post('a')).status, 200);
    await runs(growArguments(next), place.store);

    const refused = await post('b');
    assert.deepEqual([refused.status, Number(refused.headers['retry-after']) > 0], [503, true]);
    // Where the store is, is no business of clients.
    assert.match(refused.body.error.message, /^the store has moved to …/);
    const list = await ask(`http://127.0.0.1:${port}/sets/maps/resourcelist.xml`);
    assert.equal(list.status, 200);
    assert.match(list.bytes.toString(), /example\.org\/maps\/a/);
    await old.says(/has moved to sqlite:.*restart this server: it only answers reads/);
    await old.kill();
    // Served, but without anything new.
    await (await serve(next)).server.kill();

    const again = await run([...growArguments(next), '--take-back'], place.store);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal((await run(['status'])).exitCode, 3);
    const { server, url } = await serve(place.store);
    const { status } = await askJson(
      `${url}/api/sets/maps/changes`,
      { changes: [{ location: { type: 'rel_path', value: 'c' }, change: 'updated', length: 1 }] },
      ADMINISTRATOR,
    );
    assert.equal(status, 200);
    await server.kill();
  });

  it('says what is wrong with its arguments', async () => {
    place = await Workplace.make(SQLITE);
    next = SQLITE.place(join(place.folder, 'next'));
    const fails = async (args: readonly string[], message: RegExp) => {
      const { exitCode, stderr } = await run(['grow', ...args], place.store);
      assert.deepEqual([exitCode, message.test(stderr)], [2, true], stderr);
    };
    await fails(['sqlite:next.db'], /there is no store/);
    await runs(['sets', 'add', 'maps', '--url-prefix', 'http://example.org/maps/'], place.store);
    await fails([], /which store\? Name it/);
    await fails(
      ['https://user:secret@search.example.org'],
      /a command line can be read by others: use TIDEMARK_GROW_TO/,
    );
    await fails(['postgres://x'], /the store to move to is not a store/);
    await fails([place.store.environment.TIDEMARK_STORE!], /name another one to move to/);
    await fails(['sqlite:next/tidemark.db', '--take-back'], /has not moved to/);
  });
});
