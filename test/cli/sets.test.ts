import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('sets on the command line', (store, itOnce) => {
  let place: Workplace;
  let files: string;

  beforeEach(async () => {
    place = await Workplace.make(store);
    files = join(place.folder, 'files');
    mkdirSync(files);
    writeFileSync(join(files, 'a.txt'), 'a');
    writeFileSync(join(files, 'b.txt'), 'b');
  });

  afterEach(() => place.close());

  itOnce('have a schedule for their dumps, until that is none', async () => {
    await done('sets add records --url-prefix https://example.org/records');
    const add = (...options: string[]) => place.run(['sets', 'add', 'files', '--root', 'files', ...options]);
    const wrong = await add('--dump', '0 25 * * *');
    assert.equal(wrong.exitCode, 2);
    assert.match(wrong.stderr, /"0 25 \* \* \*" is not a time: Invalid value for hour: 25/);
    assert.equal((await add('--dump', '0 3 * * *')).exitCode, 0);
    assert.match(await done('sets show files'), /dumpSchedule +0 3 \* \* \*\n/);
    await done('sets change files --dump none');
    assert.doesNotMatch(await done('sets show files'), /dumpSchedule/);
    const { exitCode, stderr } = await place.run(['sets', 'change', 'records', '--dump', '0 3 * * *']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /the bytes of this set are elsewhere/);
  });

  itOnce('have their defaults again when an argument is empty', async () => {
    await done('sets add files --root files --page-size 7 --title Files');
    const change = ['sets', 'change', 'files', '--page-size', '', '--title', '', '--dump-compression', ''];
    assert.equal((await place.run(change)).exitCode, 0);
    const { pageSize, title, dumpCompression } = JSON.parse(await done('sets show files --json'));
    assert.deepEqual([pageSize, title, dumpCompression], [10_000, undefined, undefined]);
  });

  itOnce('are read by the server that runs, or by a command', async () => {
    const add = async (id: string) => (await place.run(['sets', 'add', id, '--root', 'files'])).stderr;
    assert.match(await add('one'), /^Read its files with "tidemark scan one", or serve it with "tidemark serve"\.$/m);
    const server = place.start(['serve', '--port', '0']);
    await server.says(/"event":"serving"/);
    assert.match(await add('two'), /^The server that runs reads its files within seconds: "tidemark status" shows/m);
  });

  itOnce('are removed with the packages of their dumps', async () => {
    await done('sets add files --root files');
    await done('scan files');
    await done('dumps build files');
    const packages = () =>
      readdirSync(place.folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.zip'));
    assert.equal(packages().length, 1);
    const { exitCode, stderr } = await place.run(['sets', 'remove', 'files', '--confirm']);
    assert.equal(exitCode, 0);
    assert.match(stderr, /Removed 1 package of its dumps\./);
    assert.deepEqual(packages(), []);
  });

  it('are added, listed, shown, moved and removed', async () => {
    await done(
      'sets add files --root files --title Files --page-size 7 --window-size 9 --publish-hash md5 --exclude *.tmp',
    );
    await done('sets add records --url-prefix https://example.org/records --resource-root-dir /srv/records');

    const { sets } = JSON.parse(await done('sets list --json'));
    assert.deepEqual(
      sets.map(({ set, ready }: { set: string; ready: boolean }) => [set, ready]),
      [
        ['files', false],
        ['records', true],
      ],
    );
    const { documents, ...shown } = JSON.parse(await done('sets show files --json'));
    for (const line of (await done('sets show files')).trimEnd().split('\n')) assert.match(line, /^\w+ {2,}\S/);
    assert.deepEqual(shown, {
      set: 'files',
      title: 'Files',
      ready: false,
      resources: 0,
      changes: 0,
      urlPrefix: 'http://localhost:8080/sets/files/resources/',
      hasRoot: true,
      private: false,
      epoch: 1,
      root: files,
      resourceRootDir: files,
      exclude: ['*.tmp'],
      pageSize: 7,
      windowSize: 9,
      publishHashes: ['md5'],
    });
    assert.equal(documents.capabilityList, 'http://localhost:8080/sets/files/capabilitylist.xml');

    await refused('sets move records https://example.net/', /Say --confirm-move to do it/);
    await done('sets move records https://example.net/ --confirm-move');
    assert.match(await done('sets show records'), /urlPrefix +https:\/\/example\.net\/\n(.|\n)*epoch +2\n/);

    assert.match(await done('sets remove records'), /^Removed the set records; its id can be used again\.\n$/);
    await refused('sets show records', /the set "records" was removed/);
    assert.doesNotMatch(await done('sets list'), /records/);
  });

  itOnce('are scanned, and their pages listed and rendered anew', async () => {
    await done('sets add files --root files --page-size 1');
    assert.match(await done('scan files --dry-run'), /2 created, 0 updated, 0 deleted \(nothing was posted\)/);
    assert.match(await done('scan files'), /^files: 2 files in .* s: 2 created, 0 updated, 0 deleted\.\n$/);
    rmSync(join(files, 'a.txt'));
    const summary = JSON.parse(await done('scan files --rehash --json'));
    assert.deepEqual([summary.hashed, summary.unchanged, summary.deleted], [1, 1, 1]);

    const { pages } = JSON.parse(await done('page list files --json'));
    assert.equal(pages.length, 1);
    assert.match(await done(`page refresh files ${pages[0].name}`), /^Rendered page .* of files anew: 1 entry\.\n$/);
    await refused('page refresh files none', /no page "none": the only one is /);
    const [{ name, uri }] = pages;
    for (const named of [
      `resourcelist-${name}.xml`,
      uri,
      'resourcelist.xml',
      '--resource /b.txt',
      '--resource b.txt',
    ]) {
      assert.match(await done(`page refresh files ${named}`), /^Rendered page .* of files anew: 1 entry\.\n$/);
    }
    for (const none of ['none', 'a:b.tif']) {
      await refused(`page refresh files --resource ${none}`, new RegExp(`"files" has no resource ${none}`));
    }
    await refused(
      `page refresh files ${name} --all-that-differ`,
      /name one page, or give --resource or --all-that-diff/,
    );

    const status = JSON.parse(await done('status --json'));
    assert.deepEqual([status.ready, status.baseUrl, status.sets.length], [true, 'http://localhost:8080', 1]);
    assert.match(await done('status'), /files +1 +3 .* ready/);
  });

  itOnce('of two stores that share a data folder are scanned each for itself', async () => {
    const other = { env: { TIDEMARK_STORE: `sqlite:${join(place.folder, 'other.db')}` } };
    const write = (content: string, second: number) => {
      writeFileSync(join(files, 'a.txt'), content);
      utimesSync(join(files, 'a.txt'), second, second);
    };
    write('before', 1_600_000_000);
    for (const options of [{}, other]) {
      assert.equal((await place.run(['sets', 'add', 'files', '--root', 'files'], options)).exitCode, 0);
      assert.equal((await place.run(['scan', 'files'], options)).exitCode, 0);
    }
    // Only what a scan remembers says that the file is another one.
    write('after!', 1_600_000_000.5);
    for (const options of [{}, other]) {
      assert.match((await place.run(['scan', 'files'], options)).stdout, /1 updated/);
      assert.equal((await place.run(['verify', 'files', '--root'], options)).exitCode, 0);
    }
  });

  it('are removed when that is confirmed, and keep their id from others when they had a change', async () => {
    await done('sets add files --root files');
    await done('sets remove files');
    await done('sets add files --root files --title Again');
    assert.equal((await shown()).title, 'Again');
    await done('scan files');

    await refused(
      'sets remove files',
      /the set files has 2 changes: .* cannot be used again\. Say --confirm to remove it/,
    );
    await done('sets show files');
    assert.match(await done('sets remove files --confirm'), /^Removed the set files\.\n$/);
    await refused('sets show files', /the set "files" was removed/);
    await refused('sets add files --root files', /there is, or was, a set "files": choose another id/);
  });

  itOnce('say how many problems of a scan they do not print', async () => {
    for (let at = 0; at < 103; at++) writeFileSync(join(files, `a\n${at}`), '');
    await done('sets add files --root files');
    const { stdout, stderr } = await place.run(['scan', 'files']);
    assert.match(stdout, /103 paths could not be read or published/);
    assert.equal(stderr.match(/control character/g)?.length, 100, stderr);
    assert.match(stderr, /… and 3 more; --json lists up to 1,000\n/);
  });

  itOnce('that have no root cannot be scanned', async () => {
    await done('sets add records --url-prefix https://example.org/records/');

    await refused('scan records', /the set records has no root and no records/);
  });

  itOnce('are served together, also one that is added meanwhile', async () => {
    await done('sets add files --root files --base-url http://localhost:9999');
    const serving = place.start(['serve', '--port', '0', '--json', '--host', '127.0.0.1'], {
      env: { TIDEMARK_BASE_URL: 'http://localhost:9999', TIDEMARK_LOG_LEVEL: 'info' },
    });
    const [line] = await serving.says(/\{.*\}\n/);
    assert.deepEqual(JSON.parse(line).sets, ['files']);
    mkdirSync(join(place.folder, 'more'));
    writeFileSync(join(place.folder, 'more/c.txt'), 'c');

    await done('sets add more --root more');

    await until('the new set is ready', async () => JSON.parse(await done('sets show more --json')).ready);
    serving.signal('SIGTERM');
    assert.equal(await serving.exit(), 0, serving.stderr);
  });

  it('take the base URL of the first server that serves something of them, and keep that', async () => {
    await done('sets add records --url-prefix https://example.org/records/');
    await serveOnce(await findFreePort());
    // Nothing was recorded, so nothing that clients have becomes wrong.
    await serveOnce(await findFreePort());
    await done('sets add files --root files');
    const port = await findFreePort();
    await serveOnce(port, async () => {
      await until('the files are resources', async () => (await shown()).resources === 2);
    });
    assert.equal((await shown()).urlPrefix, `http://localhost:${port}/sets/files/resources/`);

    await refused(`serve --port ${await findFreePort()}`, /published as .* or go on with --confirm-move/s);
  });

  async function serveOnce(port: number, use: () => Promise<void> = async () => {}): Promise<void> {
    const serving = place.start(['serve', '--port', String(port), '--host', '127.0.0.1', '--json']);
    await serving.says(new RegExp(`"serving".*:${port}"`));
    await use();
    serving.signal('SIGTERM');
    assert.equal(await serving.exit(), 0, serving.stderr);
  }

  it('are changed, also without a server, and a server that runs compares everything again', async () => {
    await done('sets add files --root files --exclude *.tmp');
    await refused('sets change files', /give at least one setting to change/);
    await refused('sets change files --page-size 0', /Use a whole number from 1 to 50000/);
    for (const command of ['sets change files', 'sets add others --root files']) {
      await refused(`${command} --title ${'t'.repeat(501)}`, /It is longer than 500 characters/);
    }
    await refused('sets change files --redirect presigned', /goes with a root on S3/);
    assert.match(
      await done('sets change files --title Files --page-size 1 --window-size 5'),
      /^Changed title, pageSize, windowSize of the set files\.\n$/,
    );
    const serving = place.start(['serve', '--port', '0', '--json', '--host', '127.0.0.1']);
    await serving.says(/\{.*\}\n/);
    await until('both files are resources', async () => (await shown()).resources === 2);

    const { exclude, pageSize, title } = JSON.parse(await done('sets change files --exclude b.txt --json'));
    assert.deepEqual([exclude, pageSize, title], [['b.txt'], 1, 'Files']);
    await until('b.txt is left out', async () => (await shown()).resources === 1);
    await place.run(['sets', 'change', 'files', '--exclude', '', '--publish-hash', 'md5']);
    await until('b.txt is a resource again, and both have another hash', async () => (await shown()).changes === 5);
    assert.match(await done('changes list files --json'), /md5:0cc175b9c0f1b6a831c399e269772661/);
    serving.signal('SIGTERM');
    assert.equal(await serving.exit(), 0, serving.stderr);
  });

  async function shown() {
    return JSON.parse(await done('sets show files --json'));
  }

  async function done(args: string): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(args.split(' '));
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }

  async function refused(args: string, message: RegExp): Promise<void> {
    const { exitCode, stderr } = await place.run(args.split(' '));
    assert.match(stderr, message);
    assert.equal(exitCode, 2);
  }
});
