import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { FolderStore } from '../../src/artifacts/folder/folder-store.ts';
import { ask, askJson } from '../support/ask.ts';
import { publishedIn } from '../support/chain.ts';
import { findFreePort } from '../support/free-port.ts';
import { keptVersions } from '../support/kept-versions.ts';
import { CHANGES, hashAndLength, LIST, MirroredSource, sha256 } from '../support/mirrored-source.ts';
import { killTidemarks, type RunningTidemark, runTidemark, startTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const DAY1 = '2026-01-01T00:00:00Z';
const DAY2 = '2026-01-02T00:00:00Z';

describe('A set that copies another source', () => {
  let source: MirroredSource;
  let port: number;
  let server: RunningTidemark | undefined;

  before(async () => {
    port = await findFreePort();
  });
  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' }).list(DAY1).changes(DAY1, []);
  });
  afterEach(async () => {
    server = undefined;
    await killTidemarks();
    await source.close();
  });
  // Removed after the server has ended: it makes folders in each pass.
  const place = useTempFolder();

  const run = (...args: readonly string[]) => runTidemark(args, { cwd: place.path });
  const add = async (...more: readonly string[]) => {
    const { exitCode, stderr } = await run(
      ...['sets', 'add', 'maps', '--from', source.url, '--from-interval', '1s', '--port', String(port), ...more],
    );
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, new RegExp(`^It copies ${source.url}`, 'm'));
  };
  const serve = async (env: Readonly<Record<string, string>> = {}) => {
    server = startTidemark(['serve', '--port', String(port)], {
      cwd: place.path,
      env: { TIDEMARK_LOG_LEVEL: 'silent', ...env },
    });
    await server.says(/http:\/\/localhost:\d+/);
  };
  const stop = async () => {
    server!.signal('SIGTERM');
    await server!.exit();
  };
  const base = () => `http://localhost:${port}`;
  const set = () => `${base()}/sets/maps`;
  const names = async () => Object.keys((await publishedIn(set())) ?? {});
  const untilNames = (expected: readonly string[]) =>
    until(`it publishes ${expected}`, async () => JSON.stringify(await names()) === JSON.stringify(expected));
  const textOf = async (name: string) => (await ask(`${set()}/resources/${name}`)).text;

  it('publishes what the copy has, and after a restart fetches nothing again', async () => {
    await add();
    await serve();
    await untilNames(['a.txt', 'b.txt', 'c.txt']);
    await stop();
    source.put({ 'b.txt': 'new', 'c.txt': undefined });
    source.changes(DAY1, [
      { path: 'b.txt', change: 'updated', datetime: DAY2 },
      { path: 'c.txt', change: 'deleted', datetime: DAY2 },
    ]);
    await serve();
    await untilNames(['a.txt', 'b.txt']);
    await until('the new bytes are there', async () => (await textOf('b.txt')) === 'new');
    assert.deepEqual(
      ['a.txt', 'b.txt', 'c.txt'].map((path) => source.requestsOf(path)),
      [1, 2, 1],
    );
    const changes = (await ask(`${set()}/changelist.xml`)).text;
    assert.match(changes, /resources\/c\.txt<\/loc><rs:md change="deleted"/);
    assert.equal((await run('verify', 'maps', '--root')).exitCode, 0);
  });

  it('is as it was while its source does not answer, says so, and follows it again into a new history', async () => {
    await add();
    await serve();
    await untilNames(['a.txt', 'b.txt', 'c.txt']);
    const lists = [LIST, CHANGES].map((path) => [path, source.served.answers.get(path)!] as const);
    for (const [path] of lists) source.served.answers.delete(path);
    const trouble = await until(
      'it is in trouble',
      async () => (await askJson(`${base()}/api/sets/maps`)).body.trouble,
    );
    assert.match(trouble.problem, /changelist\.xml cannot be read: the server answers 404/);
    assert.match((await run('sets', 'list')).stdout, /^maps \(not in sync\)/m);
    assert.match((await run('sets', 'show', 'maps')).stdout, /^trouble +http\S+ cannot be read: .* \(since 20/m);
    assert.match((await run('status')).stdout, /not in sync since 20\S+: http/);
    assert.match((await ask(`${base()}/status`)).text, /is not in sync/);
    for (const page of ['', 'settings']) {
      const { text } = await ask(`${set()}/${page}`, { headers: { accept: 'text/html' } });
      assert.match(text, /not in sync with its source since <time[^>]*>[^:]*: http\S+ cannot be read/);
    }
    assert.deepEqual(await names(), ['a.txt', 'b.txt', 'c.txt']);
    assert.equal(await textOf('a.txt'), 'one');
    // A history that begins later: only the Resource List says what was deleted.
    source.put({ 'a.txt': undefined, 'b.txt': 'other' });
    source.list(DAY2).changes(DAY2, []);
    await untilNames(['b.txt', 'c.txt']);
    await until('the new bytes are there', async () => (await textOf('b.txt')) === 'other');
    assert.deepEqual(
      ['b.txt', 'c.txt'].map((path) => source.requestsOf(path)),
      [2, 1],
    );
    await until('it is in sync', async () => (await askJson(`${base()}/api/sets/maps`)).body.trouble === undefined);
  });

  it('publishes no resource that could not be copied, and keeps the link to the original', async () => {
    const { baseUrl } = source.served;
    source.put({ 'd.txt': 'four' });
    const original = '<rs:ln rel="via" href="https://original.example.org/a"/>';
    const entries = ['a.txt', 'b.txt', 'd.txt'].map((path) => {
      const md = path === 'd.txt' ? `hash="md5:${'0'.repeat(32)}"` : 'type="text/x-made"';
      const links = path === 'a.txt' ? original : '';
      return `<url><loc>${baseUrl}/files/${path}</loc><lastmod>2020-02-02T02:02:02Z</lastmod><rs:md ${md}/>${links}</url>`;
    });
    source.served.document(LIST, `<rs:md capability="resourcelist" at="${DAY1}"/>${entries.join('')}`);
    await add();
    const { exitCode, stdout, stderr } = await run('scan', 'maps');
    assert.equal(exitCode, 1, stderr);
    assert.match(stdout, /2 created/);
    assert.match(stderr, /d\.txt could not be copied: its md5 is/);
    await serve();
    const published = (await publishedIn(set()))!;
    assert.deepEqual(
      Object.entries(published).map(([name, { via }]) => [name, via]),
      [
        ['a.txt', 'https://original.example.org/a'],
        ['b.txt', `${baseUrl}/files/b.txt`],
      ],
    );
    const { headers } = await ask(`${set()}/resources/a.txt`);
    assert.deepEqual(
      [headers['content-type'], headers['last-modified']],
      ['text/x-made', 'Sun, 02 Feb 2020 02:02:02 GMT'],
    );
  });

  it('keeps the links that hold of a copy; those between copied resources lead to their copies', async () => {
    const { baseUrl } = source.served;
    const file = (name: string) => `${baseUrl}/files/${name}`;
    const ln = (rel: string, href: string, more = '') => `<rs:ln rel="${rel}" href="${href}"${more}/>`;
    const entry = (name: string, links: string, md = '') => {
      return source
        .entry(name, `${md} ${hashAndLength(name, source.files.get(name)!)}`)
        .replace('</url>', `${links}</url>`);
    };
    const list = (capability: string, entries: string) =>
      source.served.document(
        `/${capability.split(' ')[0]}.xml`,
        `<rs:md capability="${capability.replace(' ', '" ')}/>${entries}`,
      );
    const digest = `hash="${sha256('one')}"`;
    const elsewhere = [
      ln('collection', 'https://example.org/all'),
      ln('profile', 'urn:x:1'),
      ln('canonical', 'https://example.org/a'),
      ln('duplicate', 'https://mirror.example.org/a', ' pri="1"'),
      ln(
        'alternate',
        'https://example.org/a.pdf',
        ' modified="2026-01-01T00:00:00Z" length="9" type="application/pdf"',
      ),
    ].join('');
    const original = ln('via', 'https://first.example.org/a', ` modified="2020-02-02T02:02:02Z" ${digest}`);
    const ofSource = [
      ln('up', source.url),
      ln('timegate', `${baseUrl}/timegate/a`),
      ln('memento', `${baseUrl}/1/a`, ' modified="2026-01-01T00:00:00Z"'),
      ln('duplicate', 'https://mirror.example.org/other', ' length="99"'),
    ].join('');
    const related = ln('describedby', file('b.txt'), ' type="text/x-made"') + ln('alternate', file('late.txt'));
    const unlinked = ['c.txt'].map((name) => entry(name, '')).join('');
    const b = entry('b.txt', ln('describes', file('a.txt')));
    list(`resourcelist at="${DAY1}"`, entry('a.txt', related + elsewhere + original + ofSource) + b + unlinked);
    await add();
    await serve();
    await untilNames(['a.txt', 'b.txt', 'c.txt']);
    const linksOf = async (name: string) => {
      const { text } = await ask(`${set()}/resourcelist.xml`);
      const links = new RegExp(`resources/${name}</loc>.*?((?:<rs:ln [^>]*>)*)</url>`).exec(text)?.[1];
      return links?.replaceAll(`${set()}/resources/`, 'copy:');
    };
    const described = ln('describedby', 'copy:b.txt', ' type="text/x-made"');
    const late = (target: string) => described + ln('alternate', target) + elsewhere + original;
    assert.equal(await linksOf('a.txt'), late(file('late.txt')));
    assert.equal(await linksOf('b.txt'), ln('via', file('b.txt')) + ln('describes', 'copy:a.txt'));
    assert.equal(await linksOf('c.txt'), ln('via', file('c.txt')));
    source.put({ 'late.txt': 'late' });
    const created = entry('late.txt', '', `change="created" datetime="${DAY2}"`);
    list(`changelist from="${DAY1}"`, created);
    await until('the link leads to the copy', async () => (await linksOf('a.txt')) === late('copy:late.txt'));
    // Of the same bytes, only the links have changed.
    const updated = entry('a.txt', original, `change="updated" datetime="${DAY2.replace('00:00Z', '00:01Z')}"`);
    list(`changelist from="${DAY1}"`, created + updated);
    await until('the links are those of the change', async () => (await linksOf('a.txt')) === original);
    assert.equal(source.requestsOf('a.txt'), 1);
    const scanned = (await ask(`${set()}/changelist.xml`)).text.split('a.txt</loc>').length - 1;
    assert.equal(scanned, 3);
  });

  it('keeps its small versions in packs as full as those of a folder', async () => {
    const files = Array.from({ length: 32 }, (_, at): [string, string] => [`${at + 10}.txt`, `file ${at}`]);
    source.put(Object.fromEntries(files)).list(DAY1);
    await add('--keep-versions');
    const { exitCode, stderr } = await run('scan', 'maps');
    assert.equal(exitCode, 0, stderr);
    const kept = await keptVersions(new FolderStore(place.at('data/artifacts')));
    assert.ok(kept.length >= files.length);
    const packs = new Set(kept.map(({ key }) => key));
    assert.ok(packs.size <= 3, `${packs.size}`);
  });

  it('has dumps and versions, and its copy is removed with it', async () => {
    await add('--keep-versions');
    await serve();
    await untilNames(['a.txt', 'b.txt', 'c.txt']);
    source.put({ 'a.txt': 'newer' }).changes(DAY1, [{ path: 'a.txt', change: 'updated', datetime: DAY2 }]);
    await until('the new bytes are there', async () => (await textOf('a.txt')) === 'newer');
    const versions = await until('both versions are listed', async () => {
      const { stdout } = await run('versions', 'list', 'maps', '/a.txt', '--json');
      const found = stdout.split('\n').filter((line) => line !== '');
      return found.length === 2 && found;
    });
    const texts = await Promise.all(versions.map(async (line) => (await ask(JSON.parse(line).uri)).text));
    assert.deepEqual(texts.sort(), ['newer', 'one']);
    const built = await run('dumps', 'build', 'maps');
    assert.equal(built.exitCode, 0, built.stderr);
    assert.equal((await ask(`${set()}/resourcedump.xml`)).status, 200);
    const [copy, ...others] = readdirSync(place.at('data/copies'));
    assert.deepEqual(others, []);
    // Of a set with the same number, in another store.
    const foreign = `${copy!.split('-')[0]}-0123456789ab`;
    place.write(`data/copies/${foreign}/a.txt`, 'one');
    assert.equal((await ask(`${base()}/api/sets/maps?confirm=yes`, { method: 'DELETE' })).status, 200);
    await until('its copy is removed', async () => !existsSync(place.at(`data/copies/${copy}`)));
    assert.deepEqual(readdirSync(place.at('data/copies')), [foreign]);
  });

  it('is kept by one process at a time, and takes no posted events', async () => {
    await add();
    await serve();
    await untilNames(['a.txt', 'b.txt', 'c.txt']);
    // The server lets the command have the copy, and goes on with it after that.
    const scanned = await run('scan', 'maps');
    assert.equal(scanned.exitCode, 0, scanned.stderr);
    const changes = [{ location: { value: 'x', type: 'rel_path' }, change: 'created' }];
    const { status, body } = await askJson(`${set().replace('/sets', '/api/sets')}/changes`, { changes });
    assert.equal(status, 409);
    assert.match(body.error.message, /its resources are copies of those of http/);
  });

  it('is refused when its source is not clear', async () => {
    const two = source.served.link('describedby', '/about');
    const listed = ['/one/set.xml', '/two/set.xml'].map(
      (path) => `<url><loc>${source.served.baseUrl}${path}</loc><rs:md capability="capabilitylist"/></url>`,
    );
    source.served.document('/.well-known/resourcesync', `${two}<rs:md capability="description"/>${listed.join('')}`);
    const own = `${base()}/sets/maps/capabilitylist.xml`;
    for (const [args, said] of [
      [['--from', source.url], /has several sets: choose one with --from-set.*\n.*one\/set\.xml\n.*two\/set\.xml/],
      [['--from', source.url, '--root', '.'], /a set has one source: leave out --root or --from/],
      [['--from', source.url, '--records', 'cdl/harvest'], /a set has one source: leave out --records or --from/],
      [['--from', 'http://user:secret@localhost:1/'], /has a login, which would be stored: use --from-netrc FILE/],
      [['--from', 'ftp://localhost/'], /is not a URL of a source/],
      [['--from', own], /would be a copy of itself/],
      [['--root', '.', '--from-interval', '5s'], /--from-interval goes with --from/],
      [['--from-set', 'x', '--url-prefix', 'http://localhost/x/'], /--from-set goes with --from/],
    ] as const) {
      const { exitCode, stderr } = await run('sets', 'add', 'maps', '--base-url', base(), ...args);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, said);
    }
    const nowhere = await run('sets', 'add', 'maps', '--from', `http://localhost:${await findFreePort()}/`);
    assert.equal(nowhere.exitCode, 3, nowhere.stderr);
    assert.ok(!existsSync(place.at('data')));
  });

  it('is added over HTTP only from a source that the server may copy, and without its files', async () => {
    const asked = async (value: object) => {
      const { status, body } = await askJson(`${base()}/api/sets`, { set: 'maps', ...value });
      return { status, message: body.error?.message, body };
    };
    await serve({ TIDEMARK_API_ROOTS: `${source.url}allowed/` });
    const refused = await asked({ from: source.url });
    assert.equal(refused.status, 403);
    assert.match(refused.message, /this server may not copy that source/);
    assert.deepEqual(source.served.requests, []);
    const file = await asked({ from: `${source.url}allowed/`, fromTokenFile: '/etc/passwd' });
    assert.equal(file.status, 400);
    await stop();
    await serve({ TIDEMARK_API_ROOTS: source.url });
    const added = await asked({ from: source.url, fromInterval: 1 });
    assert.deepEqual([added.status, added.body.from, added.body.fromInterval], [201, source.url, 1]);
    await untilNames(['a.txt', 'b.txt', 'c.txt']);
    assert.match((await ask(`${base()}/add-set`)).text, /name="from"/);
  });
});
