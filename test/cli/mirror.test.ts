import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { CHANGES, copyIn, hashAndLength, LIST, MirroredSource } from '../support/mirrored-source.ts';
import { killTidemarks, runProcess, runTidemark, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const AT = '2026-01-01T00:00:00Z';
/** More than a pass reads. */
const DOCUMENTS = 20;
const FILES = { 'a.txt': 'one', 'b.txt': 'two', 'd/c%20%C3%A9.txt': 'three' };
const COPY = { 'a.txt': 'one', 'b.txt': 'two', 'd/c é.txt': 'three' };

describe('tidemark mirror', () => {
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put(FILES).list(AT);
  });

  afterEach(async () => {
    await killTidemarks();
    await source.close();
  });

  const run = (...words: readonly string[]) => runTidemark(words, { cwd: place.path });
  const mirror = (...words: readonly string[]) => run('mirror', source.url, 'copy', ...words);
  const copy = () => copyIn(place.at('copy'));
  const done = async (...words: readonly string[]) => {
    const { stdout, stderr, exitCode } = await mirror('--json', ...words);
    assert.equal(exitCode, 0, stdout + stderr);
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  };

  it('copies a source, and says what it did', async () => {
    const { stdout, exitCode } = await mirror();
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^3 fetched \(11 B\): the copy has 3 resources \(11 B\)\.\nIt was made from the Resource List\./,
    );
    assert.deepEqual(copy(), COPY);
    const again = await done();
    assert.deepEqual([again.fetched, again.resources, again.compared], [0, 3, 'no-changes']);
    assert.equal(source.requestsOf('a.txt'), 1);
  });

  it('copies a source of this machine, by whatever name it is called', async () => {
    const { stdout, stderr, exitCode } = await run('mirror', source.url.replace('127.0.0.1', 'localhost'), 'copy');
    assert.equal(exitCode, 0, stdout + stderr);
    assert.deepEqual(copy(), COPY);
  });

  it('applies the last change of each resource, and fetches nothing else', async () => {
    await done();
    source.put({ 'a.txt': 'one, changed', 'b.txt': undefined, 'n.txt': 'new', 'gone.txt': undefined });
    source.changes('2025-12-01T00:00:00Z', [
      { path: 'a.txt', change: 'deleted', datetime: '2025-12-31T00:00:00Z' },
      { path: 'n.txt', change: 'created', datetime: '2026-01-01T00:00:01Z' },
      { path: 'gone.txt', change: 'created', datetime: '2026-01-01T00:00:02Z' },
      { path: 'b.txt', change: 'deleted', datetime: '2026-01-01T00:00:03Z' },
      { path: 'gone.txt', change: 'deleted', datetime: '2026-01-01T00:00:04Z' },
      { path: 'a.txt', change: 'updated', datetime: '2026-01-01T00:00:05Z' },
    ]);
    const report = await done();
    assert.deepEqual([report.fetched, report.deleted, report.compared], [2, 1, undefined]);
    assert.equal(report.upTo, '2026-01-01T00:00:05.000000Z');
    const { 'b.txt': _, ...left } = COPY;
    assert.deepEqual(copy(), { ...left, 'a.txt': 'one, changed', 'n.txt': 'new' });
    assert.equal(source.requestsOf('gone.txt'), 0);
  });

  it('reads of several Change Lists those that it needs, and an index whose root is wrong', async () => {
    await done();
    source
      .put({ 'a.txt': 'later' })
      .changes('2026-01-01T00:00:00Z', [{ path: 'a.txt', change: 'updated', datetime: '2026-01-02T00:00:00Z' }]);
    source.served.answers.set('/open.xml', source.served.answers.get(CHANGES)!);
    const { baseUrl } = source.served;
    const entries = `<url><loc>${baseUrl}/closed.xml</loc><rs:md capability="changelist" from="2025-01-01T00:00:00Z" until="${AT}"/></url>
<url><loc>${baseUrl}/open.xml</loc><rs:md capability="changelist" from="${AT}"/></url>`;
    for (const root of ['sitemapindex', 'urlset']) {
      const named = root === 'urlset' ? entries : entries.replaceAll('url>', 'sitemap>');
      source.served.document(CHANGES, `<rs:md capability="changelist" from="2025-01-01T00:00:00Z"/>${named}`, root);
      await done();
      assert.equal(copy()['a.txt'], 'later');
    }
    assert.ok(!source.served.requests.includes('/closed.xml'));
  });

  it('compares everything when the Change List does not reach back, and fetches what differs', async () => {
    source.changes(AT, []);
    await done();
    source.put({ 'a.txt': 'much later', 'b.txt': undefined }).list('2026-02-01T00:00:00Z');
    source.changes('2026-01-15T00:00:00Z', []);
    const report = await done();
    assert.deepEqual([report.fetched, report.deleted, report.compared], [1, 1, 'gap']);
    assert.equal(copy()['a.txt'], 'much later');
    assert.equal(source.requestsOf('d/c%20%C3%A9.txt'), 1);
  });

  it('copies lists without hashes, and asks the server whether a resource has changed', async () => {
    source.list(AT, () => '');
    await done();
    source.put({ 'b.txt': 'TWO' }).list('2026-01-02T00:00:00Z', () => '');
    const report = await done();
    assert.deepEqual([report.fetched, report.adopted], [1, 2]);
    assert.deepEqual(copy(), { ...COPY, 'b.txt': 'TWO' });
  });

  it('deletes nothing when a list ends too early, has a page that is missing, or answers 503', async () => {
    await done();
    const { answers, baseUrl } = source.served;
    const whole = String(answers.get(LIST));
    const cut = whole.slice(0, whole.indexOf('b.txt'));
    const index = `<rs:md capability="resourcelist" at="${AT}"/><sitemap><loc>${baseUrl}/1.xml</loc></sitemap><sitemap><loc>${baseUrl}/2.xml</loc></sitemap>`;
    answers.set('/1.xml', whole.replace(/<url>.*b\.txt.*\n/, ''));
    for (const [breaking, problem] of [
      [() => answers.set(LIST, cut), /not well-formed/],
      [() => source.served.document(LIST, index, 'sitemapindex'), /2\.xml cannot be read: the server answers 404/],
      [() => answers.set(LIST, '<html/>'), /its root is/],
      [
        () => answers.set(LIST, (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end()),
        /the server answers 503/,
      ],
    ] as const) {
      breaking();
      const { stderr, exitCode } = await mirror();
      assert.equal(exitCode, 3);
      assert.match(stderr, problem);
      assert.deepEqual(copy(), COPY);
    }
    const { stdout } = await run('mirror', 'status', 'copy');
    assert.match(stdout, /The last pass failed: .*503/);
  });

  it('reads a list again whose pages were split while it was read', async () => {
    const { answers, baseUrl } = source.served;
    const indexOf = (page: string) =>
      `<rs:md capability="resourcelist" at="${AT}"/><sitemap><loc>${baseUrl}/${page}</loc></sitemap>`;
    answers.set('/new.xml', answers.get(LIST)!);
    source.served.document(LIST, indexOf('old.xml'), 'sitemapindex');
    answers.set('/old.xml', (_, response) => {
      source.served.document(LIST, indexOf('new.xml'), 'sitemapindex');
      response.writeHead(410).end();
    });
    await done();
    assert.deepEqual(copy(), COPY);
  });

  it('fetches again what differs from the list, reports it when it goes on, and keeps the file of before', async () => {
    await done();
    source.put({ 'a.txt': 'listed' }).list('2026-01-02T00:00:00Z');
    source.served.answers.set('/files/a.txt', 'others');
    const { stdout, exitCode } = await mirror();
    assert.equal(exitCode, 1);
    assert.match(stdout, /1 failed: the copy has 3 resources/);
    assert.match(stdout, /a\.txt: its sha-256 is [0-9a-f]{64}, and the list says/);
    assert.deepEqual(copy(), COPY);
    const status = await run('mirror', 'status', 'copy');
    assert.equal(status.exitCode, 1);
    assert.match(status.stdout, /could not be copied/);
    source.put({ 'a.txt': 'listed' });
    await done();
    assert.deepEqual(copy(), { ...COPY, 'a.txt': 'listed' });
    assert.equal((await run('mirror', 'status', 'copy')).exitCode, 0);
  });

  it('takes a resource that has changed after its list from the changes', async () => {
    source.changes('2025-12-01T00:00:00Z', []);
    const before = source.served.answers.get('/files/a.txt')!;
    // While the copy is made, the resource changes.
    source.served.answers.set('/files/a.txt', (_, response) => {
      source.served.answers.set('/files/a.txt', before);
      source.put({ 'a.txt': 'just now' });
      source.changes('2025-12-01T00:00:00Z', [{ path: 'a.txt', change: 'updated', datetime: '2026-01-03T00:00:00Z' }]);
      response.writeHead(200).end('just now');
    });
    await done();
    assert.deepEqual(copy(), { ...COPY, 'a.txt': 'just now' });
  });

  it('goes on after it was killed anywhere, and shows no file that is not complete', async function () {
    this.timeout(120_000);
    const many = Object.fromEntries(Array.from({ length: 2_700 }, (_, number) => [`${number}.txt`, `text ${number}`]));
    source.put(many).list(AT);
    for (const failpoint of FAILPOINTS.mirror) {
      const name = `copy-${failpoint}`;
      const killed = await runProcess(['mirror', source.url, name], {
        cwd: place.path,
        env: { TIDEMARK_FAILPOINT: `${failpoint}:kill@${failpoint === 'mirror.passed' ? 1 : 2}` },
      });
      assert.equal(killed.exitCode, null, failpoint);
      const placed = Object.entries(copyIn(place.at(name)));
      for (const [path, text] of placed) assert.equal(source.files.get(encodeURI(path)), text);
      const requests = source.served.requests.length;
      const { exitCode, stderr } = await run('mirror', source.url, name);
      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(copyIn(place.at(name)), { ...COPY, ...many });
      // What was in its place is not fetched again.
      const fetched = source.served.requests.length - requests - DOCUMENTS;
      assert.ok(fetched <= source.files.size - placed.length, `${failpoint}: ${fetched} after ${placed.length}`);
      assert.deepEqual(readdirSync(place.at(`${name}/.tidemark-mirror`)).sort(), ['lock', 'process']);
    }
  });

  it('leaves no file of a resource that was deleted after it was killed while it wrote the file', async () => {
    const env = { TIDEMARK_FAILPOINT: 'mirror.published:kill@2' };
    source.put({ 'e/x.txt': 'x', 'e/y.txt': 'y' }).list(AT);
    assert.equal((await runProcess(['mirror', source.url, 'copy'], { cwd: place.path, env })).exitCode, null);
    assert.ok(existsSync(place.at('copy/e/x.txt')));
    source.put({ 'e/x.txt': undefined, 'e/y.txt': undefined, e: 'now a file' }).list(AT);
    assert.equal((await run('mirror', source.url, 'copy')).exitCode, 0);
    assert.deepEqual(copy(), { ...COPY, e: 'now a file' });
  });

  it('deletes a resource in whose place another program has made a folder', async () => {
    await run('mirror', source.url, 'copy');
    place.remove('copy/b.txt');
    place.write('copy/b.txt/of-another-program', 'text');
    source.put({ 'b.txt': undefined }).list(AT);
    const { exitCode, stdout } = await run('mirror', source.url, 'copy', '--keep-deleted');
    assert.equal(exitCode, 0, stdout);
    assert.ok(existsSync(place.at('copy/b.txt/of-another-program')));
  });

  it('lets one process at a time keep a copy, and names it', async () => {
    source.served.answers.set('/files/b.txt', () => {});
    const running = startProcess(['mirror', source.url, 'copy'], { cwd: place.path });
    await until('it fetches', async () => source.requestsOf('b.txt') > 0);
    const { stderr, exitCode } = await mirror();
    assert.equal(exitCode, 2);
    assert.match(stderr, new RegExp(`process ${running.pid} keeps the copy in ${place.at('copy')} now`));
    assert.match((await run('mirror', 'status', 'copy')).stdout, new RegExp(`Process ${running.pid} keeps it`));
    await running.kill();
    source.put({ 'b.txt': 'two' });
    await done();
    assert.match((await run('mirror', 'status', 'copy')).stdout, /No process keeps it now/);
  });

  it('says what is wrong with a lock that cannot be used, and names no process', async () => {
    await done();
    const lock = place.at('copy/.tidemark-mirror/lock');
    writeFileSync(lock, 'no database'.repeat(100));
    const damaged = await mirror();
    assert.match(damaged.stderr, /the lock of the copy, \S+\/lock, is not an SQLite database: remove it/);
    assert.equal(damaged.exitCode, 3);
    assert.match((await run('mirror', 'status', 'copy')).stdout, /No process keeps it now/);
    rmSync(lock);
    place.write('copy/.tidemark-mirror/lock/file', 'a folder');
    const folder = await mirror();
    assert.match(folder.stderr, /the lock of the copy, \S+\/lock, cannot be opened/);
    assert.equal(folder.exitCode, 3);
  });

  it('stops at Ctrl-C with what it has, and goes on later', async () => {
    source.served.answers.set('/files/b.txt', () => {});
    const running = startProcess(['mirror', source.url, 'copy', '--connections', '1'], { cwd: place.path });
    await until('it fetches', async () => source.requestsOf('b.txt') > 0);
    running.signal('SIGINT');
    assert.equal(await running.exit(), 1);
    assert.deepEqual(copy(), { 'a.txt': 'one' });
    source.put({ 'b.txt': 'two' });
    await done();
    assert.equal(source.requestsOf('a.txt'), 1);
    assert.deepEqual(copy(), COPY);
  });

  it('takes no folder that has something else in it, unless it is to adopt it', async () => {
    place.write('copy/a.txt', 'one');
    place.write('copy/b.txt', 'mine');
    const { stderr, exitCode } = await mirror();
    assert.equal(exitCode, 2);
    assert.match(stderr, /is not empty, and no copy that tidemark made: use an empty folder, or --adopt/);
    assert.equal(existsSync(place.at('copy/.tidemark-mirror.db')), false);
    const report = await done('--adopt');
    assert.deepEqual([report.adopted, report.fetched], [1, 2]);
    assert.deepEqual(copy(), COPY);
  });

  it('takes no other source for a folder', async () => {
    await done();
    const other = await MirroredSource.start();
    const { stderr, exitCode } = await run('mirror', other.url, 'copy').finally(() => other.close());
    assert.equal(exitCode, 2);
    assert.match(stderr, /copy is a copy of http:\/\/127\.0\.0\.1:\d+\/: give that URL, or another folder/);
  });

  it('takes any URL that leads to the set that a folder is a copy of, and no other set of the source', async () => {
    const { baseUrl, answers } = source.served;
    const lists = ['maps', 'books'].map((name) => `${baseUrl}/sets/${name}/capabilitylist.xml`);
    const sets = lists.map((uri) => `<url><loc>${uri}</loc><rs:md capability="capabilitylist"/></url>`);
    source.served.document('/.well-known/resourcesync', `<rs:md capability="description"/>${sets.join('')}`);
    for (const name of ['maps', 'books']) {
      answers.set(`/sets/${name}/capabilitylist.xml`, answers.get('/set.xml')!);
      answers.set(`/sets/${name}/`, (_, response) =>
        response
          .writeHead(200, { link: `<${baseUrl}/sets/${name}/capabilitylist.xml>; rel="resourcesync"` })
          .end('<html></html>'),
      );
    }
    await done('--set', 'maps');
    for (const url of ['/sets/maps/', '/sets/maps/capabilitylist.xml', '/.well-known/resourcesync']) {
      const { stderr, exitCode } = await run('mirror', baseUrl + url, 'copy');
      assert.equal(exitCode, 0, stderr);
    }
    for (const url of ['/sets/books/', '/sets/books/capabilitylist.xml']) {
      const { stderr, exitCode } = await run('mirror', baseUrl + url, 'copy');
      assert.equal(exitCode, 2);
      assert.match(stderr, /copy is a copy of \S+: give that URL/);
    }
  });

  it('says which source it has found when the URL is none of the source itself', async () => {
    for (const url of [source.url, `${source.url}.well-known/resourcesync`, `${source.url}set.xml`])
      assert.doesNotMatch((await run('mirror', url, new URL(url).pathname.replaceAll('/', '_'))).stderr, /led to/);
    const { stderr, exitCode } = await run('mirror', `${source.url}nope`, 'copy');
    assert.equal(exitCode, 0);
    assert.match(stderr, /\/nope led to the source \S+\/\.well-known\/resourcesync: its set \S+\/set\.xml is copied/);
  });

  it('says the same in every audit of a copy that was not mended, and a plain call mends it', async () => {
    source.changes(AT, []);
    await done();
    place.write('copy/a.txt', 'ONE');
    place.remove('copy/d');
    const first = await mirror('--audit', '--rehash');
    assert.equal(first.exitCode, 1);
    assert.match(first.stdout, /^2 differences: 3 resources are listed, and the copy has 3 files\.\n/);
    assert.match(first.stdout, /a\.txt was changed in the copy\n {2}d\/c é\.txt is missing in the copy\nWhat is/);
    for (const words of [['--rehash'], []]) assert.equal((await mirror('--audit', ...words)).stdout, first.stdout);
    assert.equal((await done()).fetched, 2);
    assert.deepEqual(copy(), COPY);
    assert.equal((await mirror('--audit', '--rehash')).exitCode, 0);
  });

  it('fetches the newer version of a resource whose file was removed after that version had failed', async () => {
    source.changes(AT, []);
    await done();
    source.put({ 'a.txt': 'newer' });
    source.changes(AT, [{ path: 'a.txt', change: 'updated', datetime: '2026-01-02T00:00:00Z' }]);
    source.served.answers.set('/files/a.txt', 'others');
    assert.equal((await mirror()).exitCode, 1);
    place.remove('copy/a.txt');
    const { stdout } = await mirror('--audit');
    assert.match(stdout, /a\.txt is missing in the copy/);
    assert.equal((await mirror('--audit')).stdout, stdout);
    source.put({ 'a.txt': 'newer' });
    await done();
    assert.equal(copy()['a.txt'], 'newer');
  });

  it('hashes files in an audit alone, and says so', async () => {
    const { stderr, exitCode } = await mirror('--rehash');
    assert.equal(exitCode, 2);
    assert.match(stderr, /--rehash is a part of an audit: add --audit, or leave it out to mirror/);
    assert.equal(existsSync(place.at('copy')), false);
  });

  it('keeps deleted files aside when it is to', async () => {
    await done();
    for (const text of ['two', 'again']) {
      source.put({ 'b.txt': text }).list(AT);
      await done();
      source.put({ 'b.txt': undefined }).list(AT);
      await done('--keep-deleted');
    }
    assert.equal(readFileSync(place.at('copy/.tidemark-mirror-deleted/b.txt'), 'utf8'), 'two');
    assert.equal(readFileSync(place.at('copy/.tidemark-mirror-deleted/b.txt~2'), 'utf8'), 'again');
    assert.equal(copy()['b.txt'], undefined);
  });

  it('removes folders that have become empty, one in the other', async () => {
    source.put({ 'x/a/1.txt': '1', 'x/b/2.txt': '2', 'x/b/c/3.txt': '3' }).list(AT);
    await done();
    source.put({ 'x/a/1.txt': undefined, 'x/b/2.txt': undefined, 'x/b/c/3.txt': undefined }).list(AT);
    assert.equal((await done()).deleted, 3);
    assert.equal(existsSync(place.at('copy/x')), false);
  });

  it('keeps deleted files aside where one of them has the path of a folder of another', async () => {
    const none = { f: undefined, 'f/inner': undefined, 'f/inner/z': undefined };
    for (const path of ['f', 'f/inner', 'f/inner/z', 'f']) {
      source.put({ ...none, [path]: path }).list(AT);
      await done('--keep-deleted');
    }
    source.put(none).list(AT);
    await done('--keep-deleted');
    const kept = place.at('copy/.tidemark-mirror-deleted');
    const texts = readdirSync(kept, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    assert.deepEqual(texts.sort(), ['f', 'f', 'f/inner', 'f/inner/z']);
    assert.equal(existsSync(place.at('copy/f')), false);
  });

  it('reports a file that is in the place of a folder, and copies the rest', async () => {
    await done();
    place.write('copy/new', 'mine');
    source.put({ 'new/q.txt': 'q', 'other.txt': 'o' }).list(AT);
    const { stdout, exitCode } = await mirror();
    assert.match(stdout, /q\.txt: new is a file, where the copy needs a folder: remove it/);
    assert.equal(exitCode, 1);
    assert.equal(copy()['other.txt'], 'o');
  });

  it('says what to do about a damaged state, and takes the copy over without it', async () => {
    source.put({ 'a.txt': 'a', 'b.txt': 'b' }).list(AT);
    await done();
    const state = place.at('copy/.tidemark-mirror.db');
    for (const bytes of [readFileSync(state).fill(0, 0, 4096), readFileSync(state).fill(0xff, 4096)]) {
      writeFileSync(state, bytes);
      const { stderr, exitCode } = await mirror();
      assert.match(stderr, /state of the copy, \S+mirror\.db, is .*: remove it .*, and mirror again with --adopt/);
      assert.equal(exitCode, 3);
    }
    for (const name of readdirSync(place.at('copy'))) {
      if (name.startsWith('.tidemark-mirror.db')) rmSync(place.at(`copy/${name}`));
    }
    assert.equal((await done('--adopt')).fetched, 0);
  });

  it('writes through no link, and over no folder, that another program put into the copy', async () => {
    await done();
    mkdirSync(place.at('outside'));
    symlinkSync(place.at('outside'), place.at('copy/n'));
    writeFileSync(place.at('outside/file'), 'outside');
    symlinkSync(place.at('outside/file'), place.at('copy/link.txt'));
    mkdirSync(place.at('copy/folder/inside'), { recursive: true });
    source.put({ 'n/x.txt': 'x', 'link.txt': 'own', folder: 'file' }).list('2026-01-02T00:00:00Z');
    const { stdout, exitCode } = await mirror();
    assert.equal(exitCode, 1);
    assert.match(stdout, /n\/x\.txt: n is a symbolic link, where the copy needs a folder: remove it/);
    assert.match(stdout, /folder: a folder that is not of the copy has its path: remove it/);
    assert.deepEqual(readdirSync(place.at('outside')), ['file']);
    assert.equal(readFileSync(place.at('outside/file'), 'utf8'), 'outside');
    assert.equal(readFileSync(place.at('copy/link.txt'), 'utf8'), 'own');
  });

  it('finds by an audit what was edited in the copy, and fetches it again', async () => {
    source.changes(AT, []);
    await done();
    const audit = async (...words: readonly string[]) => {
      const { stdout, exitCode } = await mirror('--audit', '--json', ...words);
      const { differences } = JSON.parse(stdout.trim().split('\n').at(-1)!);
      assert.equal(exitCode, differences.length > 0 ? 1 : 0);
      return differences.map(({ kind, name }: Record<string, string>) => `${kind} ${name}`).sort();
    };
    assert.deepEqual(await audit('--rehash'), []);
    place.write('copy/a.txt', 'ONE');
    assert.deepEqual(await audit(), []);
    place.write('copy/b.txt', 'longer');
    place.write('copy/mine.txt', 'mine');
    place.remove('copy/d');
    const found = await audit('--rehash');
    assert.deepEqual(found, ['changed a.txt', 'changed b.txt', 'extra mine.txt', 'missing d/c é.txt']);
    const text = await mirror('--audit');
    assert.match(text.stdout, /mine\.txt is of no resource\n(?:.*\n)*.*: remove it, or move it elsewhere\./);
    const report = await done();
    assert.deepEqual([report.fetched, report.failed], [3, 0]);
    assert.deepEqual(copy(), { ...COPY, 'mine.txt': 'mine' });
    assert.deepEqual(await audit('--rehash'), ['extra mine.txt']);
  });

  it('counts in an audit what differs from the list, but not what has changed since the last pass', async () => {
    source.changes(AT, []);
    await done();
    source.put({ 'a.txt': 'changed' }).list('2026-01-02T00:00:00Z');
    source.changes(AT, [{ path: 'a.txt', change: 'updated', datetime: '2026-01-01T12:00:00Z' }]);
    const { stdout, exitCode } = await mirror('--audit');
    assert.equal(exitCode, 0, stdout);
    assert.match(stdout, /^No differences: 3 resources are listed.*\nSince the last pass, 1 resource has changed/);
    source.changes(AT, []);
    source.put({ 'b.txt': undefined }).list('2026-01-02T00:00:00Z');
    const missing = await mirror('--audit');
    assert.equal(missing.exitCode, 1);
    assert.match(missing.stdout, /a\.txt is listed, and not copied as it is listed\n {2}b\.txt is not listed any more/);
    await done('--compare');
    assert.equal((await mirror('--audit')).exitCode, 0);
  });

  it('asks which set, when there are several', async () => {
    const { baseUrl } = source.served;
    const sets = ['maps', 'books'].map(
      (name) => `<url><loc>${baseUrl}/sets/${name}/capabilitylist.xml</loc><rs:md capability="capabilitylist"/></url>`,
    );
    source.served.document('/.well-known/resourcesync', `<rs:md capability="description"/>${sets.join('')}`);
    source.served.answers.set('/sets/maps/capabilitylist.xml', source.served.answers.get('/set.xml')!);
    const { stderr, exitCode } = await mirror();
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /has several sets: choose one with --set.*:\n {2}\S+\/sets\/maps\/\S+\n {2}\S+\/sets\/books\//,
    );
    assert.match(
      (await mirror('--set', 'films')).stderr,
      /has no set "films" \(a private one needs a token\): choose one/,
    );
    await done('--set', 'maps');
    assert.deepEqual(copy(), COPY);
    await done();
    for (const other of ['books', 'map']) {
      assert.match((await mirror('--set', other)).stderr, /is a copy of the set \S+maps\S+: use another folder/);
    }
  });

  it('finds a source by its Resource List, too, and without a Capability List', async () => {
    source.served.answers.delete('/set.xml');
    const { exitCode } = await run('mirror', source.served.baseUrl + LIST, 'copy');
    assert.equal(exitCode, 0);
    assert.deepEqual(copy(), COPY);
    source.put({ 'a.txt': 'changed' }).list(AT, hashAndLength);
    assert.equal((await run('mirror', source.served.baseUrl + LIST, 'copy')).exitCode, 0);
    assert.equal(copy()['a.txt'], 'changed');
  });

  it('has a help for its status, and says that the folder is missing', async () => {
    assert.match((await run('mirror', '--help')).stdout, /Commands:\n +status .*<target> +Shows what a copy has/);
    assert.match(
      (await run('mirror', 'status', '--help')).stdout,
      /^Usage: tidemark mirror status \[options\] <target>/,
    );
    const { stderr, exitCode } = await run('mirror', 'status');
    assert.equal(exitCode, 2);
    assert.match(stderr, /missing required argument 'target'/);
    await done();
    const { stdout } = await run('mirror', 'status', 'copy', '--json');
    assert.equal(JSON.parse(stdout).resources, 3);
  });

  it('fails with the exit codes of every command', async () => {
    assert.equal((await run('mirror', 'example.org', 'copy')).exitCode, 2);
    const nothing = await run('mirror', 'status', 'nothing');
    assert.equal(nothing.exitCode, 2);
    assert.match(nothing.stderr, /nothing is not a copy that tidemark made: tidemark mirror URL \S+ makes one/);
    await source.close();
    const { stderr, exitCode } = await mirror();
    assert.equal(exitCode, 3);
    assert.match(stderr, /cannot be read: the server refuses the connection/);
    source = await MirroredSource.start();
  });
});
