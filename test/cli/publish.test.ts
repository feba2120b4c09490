import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('tidemark publish', (store) => {
  let place: Workplace;
  let files: string;
  let port: number;

  beforeEach(async () => {
    place = await Workplace.make(store);
    files = join(place.folder, 'My maps');
    mkdirSync(join(files, 'europe'), { recursive: true });
    writeFileSync(join(files, 'a.txt'), 'a');
    writeFileSync(join(files, 'europe/b & c.txt'), 'b');
    port = await findFreePort();
  });

  afterEach(() => place.close());

  it('publishes a folder, shows its changes, stops cleanly, and goes on with the same history', async () => {
    const first = await publishInProcess();
    assert.match(first.stdout, /Published .*My maps as "my-maps": 2 files\./);
    assert.match(
      first.stdout,
      /To copy it {10}\S.* mirror http:\S+\/sets\/my-maps\/capabilitylist\.xml my-maps-copy --follow\n/,
    );
    assert.match(first.stdout, /\n {22}resync-sync --baseline .* my-maps-copy\n/);
    const storeName = { sqlite: /kept in \S+\/tidemark\.db\. Ctrl-C/, elasticsearch: /kept in .*http:\S+.*\. Ctrl-C/ };
    assert.match(first.stdout, storeName[store.kind]);
    assert.match(await read('/.well-known/resourcesync'), /capability="description"/);
    assert.match(await read('/sets/my-maps/resourcelist.xml'), /\/resources\/europe\/b%20&amp;%20c\.txt<\/loc>/);
    assert.equal(await read('/sets/my-maps/resources/europe/b%20&%20c.txt'), 'b');

    // Never empty in between: that would be a change, too, when it lasts.
    appendFileSync(join(files, 'a.txt'), ' is edited');
    await until('the edit is a change', async () => changes(await read('/sets/my-maps/changelist.xml')).length === 3);
    await first.says(/\d\d:\d\d:\d\d {2}\+0 ~1 -0 {2}my-maps\n/);
    const before = changes(await read('/sets/my-maps/changelist.xml'));
    await stop(first);
    assert.match(first.stderr, /stopping… press Ctrl-C again to stop at once/);

    renameSync(join(files, 'a.txt'), join(files, 'moved.txt'));
    await publish();
    const after = changes(await read('/sets/my-maps/changelist.xml'));
    assert.deepEqual(after.slice(0, 3), before);
    assert.deepEqual(
      after.slice(3).map(({ path, change }) => [path, change]),
      [
        ['/a.txt', 'deleted'],
        ['/moved.txt', 'created'],
      ],
    );
  });

  // What follows is the same whatever the store is.
  if (store.kind !== 'sqlite') return;

  it('says what it skips, and what changed while it did not run', async () => {
    symlinkSync('europe', join(files, 'link to a folder'));
    symlinkSync('nothing', join(files, 'link to nothing'));
    symlinkSync('europe/b & c.txt', join(files, 'link to a file'));
    writeFileSync(join(files, 'tidemark.config.json'), '{}');
    symlinkSync('tidemark.config.json', join(files, 'link to a file of Tidemark'));
    const bad = Buffer.concat([Buffer.from(`${files}/bad-`), Buffer.from([0xe9])]);
    writeFileSync(bad, '');
    const first = await publish();
    assert.match(first.stdout, /: 3 files; 1 path could not be read or published, as listed above\.\n/);
    rmSync(bad);
    assert.match(first.stderr, /^Skipped: 3 symbolic links \(to a folder, .*\)\.$/m);
    assert.doesNotMatch(first.stdout, /last published/);
    await stop(first);
    const again = await publish();
    assert.match(again.stdout, /\nSince it was last published: nothing has changed\.\n/);
    await stop(again);
    writeFileSync(join(files, 'new'), '');
    rmSync(join(files, 'europe/b & c.txt'));
    const after = await publish();
    // The link to the deleted file leads to nothing now.
    assert.match(after.stdout, /\nSince it was last published: 1 new, 0 changed, 2 deleted\.\n/);
    assert.match(after.stderr, /^Skipped: 4 symbolic links/m);
    // While it is watched, each one is named.
    writeFileSync(bad, '');
    await after.says(/^Not published: bad-\ufffd: its name is not UTF-8$/m);
    execFileSync('mkfifo', [join(files, 'fifo')]);
    await after.says(/^Not published: fifo: it is not a file: /m);
    await stop(after);
    const verified = await place.run(['verify', 'my-maps', '--root']);
    assert.match(verified.stdout, /^unreadable: bad-\ufffd: its name is not UTF-8$/m);
    rmSync(bad);
    rmSync(join(files, 'fifo'));

    const scan = await place.run(['scan', 'my-maps']);
    assert.match(scan.stderr, /^Skipped: 4 symbolic links/m);
    const { stdout } = await place.run(['scan', 'my-maps', '--json']);
    assert.deepEqual(JSON.parse(stdout).skipped, { links: 4, special: 0 });
  });

  it('names hidden files and what leaves them out, for people, programs and on the page of the set', async () => {
    mkdirSync(join(files, '.ssh'));
    mkdirSync(join(files, '.well-known'));
    for (const path of ['.env', '.ssh/id_rsa', 'europe/.htpasswd', '.well-known/security.txt'])
      writeFileSync(join(files, path), 'x');
    const line =
      /^Hidden files are published, too: \.env, \.ssh\/id_rsa, europe\/\.htpasswd\. To leave them out: \S+ sets change my-maps --exclude '\*\.tmp' --exclude '\.\*'$/m;
    const added = await place.run(['sets', 'add', 'my-maps', '--root', files, '--exclude', '*.tmp']);
    assert.match(added.stderr, line);

    const running = await publish();
    assert.match(running.stderr, line);
    assert.equal(running.stderr.match(/Hidden files/g)?.length, 1);
    const hiddenFiles = { count: 3, paths: ['.env', '.ssh/id_rsa', 'europe/.htpasswd'] };
    const shown = async () => JSON.parse(await read('/api/sets/my-maps')).hiddenFiles;
    await until('the scan is recorded', async () => (await shown()) !== undefined);
    assert.deepEqual(await shown(), hiddenFiles);
    assert.deepEqual(
      JSON.parse((await place.run(['sets', 'show', 'my-maps', '--json'])).stdout).hiddenFiles,
      hiddenFiles,
    );
    const notice = /It publishes hidden files, to everybody: <code>\.env<\/code>, <code>\.ssh\/id_rsa<\/code>/;
    assert.match(await read('/sets/my-maps/'), notice);

    await place.run(['sets', 'change', 'my-maps', '--exclude', '.*']);
    await until('they are left out', async () => (await shown()) === undefined);
    assert.doesNotMatch(await read('/sets/my-maps/'), /hidden files/);
  });

  it('asks before a home folder, or all of /, and without a terminal wants an option', async () => {
    const all = await place.run(['publish', '/']);
    assert.equal(all.exitCode, 2);
    assert.match(all.stderr, /^tidemark: \/ is all of this machine: .* say --confirm-root/);

    const env = { HOME: files };
    const home = await place.runProcess(['sets', 'add', 'maps', '--root', files], { env });
    assert.equal(home.exitCode, 2);
    assert.match(home.stderr, /My maps is a home folder, or contains one: .* say --confirm-root/);
    assert.equal(
      (await place.runProcess(['sets', 'add', 'maps', '--root', files, '--confirm-root'], { env })).exitCode,
      0,
    );
  });

  it('prints its events as JSON', async () => {
    const running = place.start(['publish', files, '--port', String(port), '--json']);
    const [line] = await running.says(/\{.*\}\n/);

    assert.deepEqual(JSON.parse(line), {
      event: 'published',
      set: 'my-maps',
      root: files,
      resources: 2,
      home: `http://localhost:${port}/`,
      sourceDescription: `http://localhost:${port}/.well-known/resourcesync`,
      resourceList: `http://localhost:${port}/sets/my-maps/resourcelist.xml`,
      changeList: `http://localhost:${port}/sets/my-maps/changelist.xml`,
    });
    rmSync(join(files, 'a.txt'));
    const [, changed = ''] = await running.says(/\n(\{.*\})\n/);
    assert.deepEqual(JSON.parse(changed), { event: 'changes', set: 'my-maps', created: 0, updated: 0, deleted: 1 });
    assert.equal(running.stderr, '');
  });

  it('shows also what changes while it still says where the folder is published', async () => {
    let said = '';
    const edit = async () => {
      appendFileSync(join(files, 'a.txt'), ' is edited');
      await until('the edit is a change', async () => changes(await read('/sets/my-maps/changelist.xml')).length === 3);
    };
    // Reads the output as slowly as a terminal whose user has paused it.
    const stdout = new Writable({
      highWaterMark: 1,
      decodeStrings: false,
      write(text: string, _, done) {
        said += text;
        if (text.includes('Published')) edit().then(() => done(), done);
        else done();
      },
    });
    const signals = new EventEmitter();
    const run = runCli({
      argv: ['node', 'tidemark', 'publish', files, '--port', String(port)],
      env: place.store.environment,
      cwd: () => place.folder,
      stdin: new PassThrough(),
      stdout,
      stderr: new PassThrough(),
      on: signals.on.bind(signals),
      off: signals.off.bind(signals),
    });
    await until('the edit is shown', async () => /\+0 ~1 -0 {2}my-maps/.test(said));
    signals.emit('SIGTERM');
    assert.equal(await run, 0);
  });

  it('takes settings of its set', async () => {
    await publish('--id', 'atlas', '--page-size', '1', '--exclude', 'europe/');
    writeFileSync(join(files, 'z.txt'), 'z');
    await until('there are two pages', async () => /<sitemapindex/.test(await read('/sets/atlas/resourcelist.xml')));

    assert.doesNotMatch(await read('/sets/atlas/changelist.xml'), /europe/);
  });

  it('keeps versions from the first scan on, and schedules a dump', async () => {
    await publish('--keep-versions', '--dump', '0 3 * * *');
    writeFileSync(join(files, 'a.txt'), 'another a');
    await until('there is a second version', async () => (await versionsOfA()).length === 2);

    const texts = await Promise.all((await versionsOfA()).map(async (uri) => (await fetch(uri)).text()));
    assert.deepEqual(texts.sort(), ['a', 'another a']);
    const { stdout } = await place.run(['sets', 'show', 'my-maps', '--json']);
    assert.equal(JSON.parse(stdout).dumpSchedule, '0 3 * * *');
  });

  it('leaves its own files out when they are in the folder, and says so', async () => {
    await place.placeStoreIn(join(files, 'kept [1]'));
    const running = await publish('--data', join(files, 'kept [1]'));

    // What comes by another pipe may come later.
    await running.says(/Left out.*kept/);
    const resources = await read('/sets/my-maps/resourcelist.xml');
    assert.equal([...resources.matchAll(/<url>/g)].length, 2);
    assert.doesNotMatch(resources, /tidemark\.db/);
  });

  it('refuses the folder that is the data folder', async () => {
    await refuses(['publish', files, '--data', files], /is the data folder itself: choose another one with --data/);
  });

  it('refuses the folder that is the artifact store', async () => {
    await refuses(
      ['publish', files, '--artifacts', `file:${files}`],
      /is the artifact store itself: choose another one with --artifacts/,
    );
  });

  it('refuses a folder that is not there', async () => {
    await refuses(['publish', 'nowhere'], new RegExp(`there is no folder ${join(place.folder, 'nowhere')}`));
  });

  it('refuses a file', async () => {
    await refuses(['publish', join(files, 'a.txt')], /a\.txt is a file: name the folder that it is in/);
  });

  it('refuses another folder in the same data folder, and names both ways out', async () => {
    await stop(await publish());
    mkdirSync(join(place.folder, 'other maps'));

    const { stderr } = await refuses(
      ['publish', 'other maps', '--port', String(port)],
      /has the history of another folder already, .*My maps/,
    );
    assert.match(stderr, /--data FOLDER/);
    assert.match(stderr, /tidemark sets add ID --root '\/.*\/other maps'\n.* tidemark serve /);
  });

  it('goes on with a folder that was moved, when a link is at its old place', async () => {
    await stop(await publish());
    const moved = join(place.folder, 'moved');
    renameSync(files, moved);
    symlinkSync(moved, files);
    const running = await publish();
    assert.match(running.stdout, /Published .*My maps as "my-maps": 2 files\.\nSince it was .*: nothing has changed\./);
    writeFileSync(join(moved, 'new.txt'), 'new');
    await until('the new file', async () => (await read('/sets/my-maps/changelist.xml')).includes('/new.txt'));
    assert.equal(changes(await read('/sets/my-maps/changelist.xml')).length, 3);
    assert.equal(await read('/sets/my-maps/resources/europe/b%20&%20c.txt'), 'b');
    await stop(running);

    // By its new path, it is the same folder.
    files = moved;
    assert.match((await publish()).stdout, /Published .*My maps as "my-maps": 3 files/);
  });

  it('says that a set is in sync again, whatever the trouble was', async () => {
    const running = await publish();
    renameSync(files, join(place.folder, 'away'));
    await running.says(/Trouble with my-maps: .*My maps/);
    renameSync(join(place.folder, 'away'), files);
    await running.says(/my-maps is in sync with \/.*My maps again\n/);
  });

  it('goes on with the settings that it is given later', async () => {
    await stop(await publish());
    await stop(await publish('--page-size', '5'));
    await publish('--page-size', '1', '--exclude', 'europe/');

    const { stdout } = await place.run(['sets', 'show', 'my-maps', '--json']);
    const { pageSize, exclude, resources } = JSON.parse(stdout);
    assert.deepEqual([pageSize, exclude, resources], [1, ['europe/'], 1]);
  });

  it('refuses another id than the set was made with', async () => {
    await stop(await publish());

    await refuses(['publish', files, '--port', String(port), '--id', 'x'], /published with --id my-maps, which stays/);
  });

  it('refuses another base URL until it is confirmed, and then begins a new epoch', async () => {
    await stop(await publish());
    const other = await findFreePort();

    const { stderr } = await refuses(
      ['publish', files, '--port', String(other)],
      /published as http:\/\/localhost:\d+, and would now be/,
    );
    const kept = `--base-url http://localhost:${port}`;
    const beside = `--port ${port} \\(a server beside it: with ${kept}\\)`;
    assert.match(stderr, new RegExp(`epoch(.|\n)*${beside}, or go on with --confirm-move`));
    await refuses(
      ['serve', '--base-url', 'https://example.org'],
      new RegExp(`Start it as before with ${kept}, or go on with --confirm-move`),
    );

    port = other;
    const running = await publish('--confirm-move');
    assert.match(await read('/sets/my-maps/resourcelist.xml'), new RegExp(`http://localhost:${port}/`));
    await stop(running);
    const { stdout } = await place.run(['sets', 'show', 'my-maps', '--json']);
    assert.equal(JSON.parse(stdout).epoch, 2);
  });

  it('is served on another port with the base URL of before, and says where', async () => {
    await stop(await publish());
    const other = String(await findFreePort());
    const running = place.start(['serve', '--port', other, '--base-url', `http://localhost:${port}`]);
    await running.says(
      new RegExp(`on http://localhost:${port}/ \\(.*\\), listening on port ${other} of 127\\.0\\.0\\.1\\.`),
    );
    await stop(running);
  });

  it('says that what was made before the first start belongs to another port', async () => {
    const env = { TIDEMARK_PORT: String(await findFreePort()) };
    await place.run(['sets', 'add', 'my-maps', '--root', files], { env });
    await place.run(['scan', 'my-maps']);
    const running = await publishInProcess();
    await stop(running);
    const moved = `the base URL was http://localhost:${env.TIDEMARK_PORT}: histories of sets below it begin anew`;
    assert.ok(running.stderr.includes(moved), running.stderr);

    const again = await publishInProcess();
    await stop(again);
    assert.ok(!again.stderr.includes('the base URL was'), again.stderr);
  });

  it('takes the port of last time when it is given none', async () => {
    await stop(await publish());
    const running = place.start(['publish', files]);
    const [, url = ''] = await running.says(/Resource List {2,}(\S+)/);
    assert.equal(new URL(url).port, String(port));
  });

  it('takes the port of last time again when it is given 0, and another one only when that is taken', async () => {
    const portOf = (url: string) => Number(new URL(url).port);
    const first = await published(place.start(['publish', files, '--port', '0']));
    const [, url = ''] = await first.says(/Resource List {2,}(\S+)/);
    await stop(first);
    const second = await published(place.start(['publish', files, '--port', '0']));
    assert.equal((await second.says(/Resource List {2,}(\S+)/))[1], url);
    await stop(second);

    const other = createServer().listen(portOf(url), '127.0.0.1');
    await once(other, 'listening');
    try {
      await refuses(['publish', files, '--port', '0'], /published as .*, and would now be/);
      const { stderr } = await refuses(['publish', files], /port \d+ of 127\.0\.0\.1 is taken by another program/);
      assert.match(
        stderr,
        /It is the port of last time: perhaps this source is served already\..*--confirm-move confirms/,
      );
    } finally {
      other.close();
    }
  });

  it('takes a title, also later', async () => {
    await stop(await publish('--title', 'Old maps'));
    const title = async () => JSON.parse((await place.run(['sets', 'show', 'my-maps', '--json'])).stdout).title;
    assert.equal(await title(), 'Old maps');
    await stop(await publish());
    assert.equal(await title(), 'Old maps');
    await stop(await publish('--title', 'Maps of Europe'));
    assert.equal(await title(), 'Maps of Europe');
  });

  describe('when the port is taken', () => {
    let other: Server;

    beforeEach(async () => {
      other = createServer().listen(port, '127.0.0.1');
      await once(other, 'listening');
    });

    afterEach(() => other.close());

    it('says so, and makes nothing that would be in the way of another port', async () => {
      const { stderr } = await refuses(
        ['publish', files, '--port', String(port)],
        new RegExp(`port ${port} .* is taken`),
      );
      assert.match(stderr, /choose another with --port/);
      assert.ok(!existsSync(join(place.folder, 'data')), 'a new store was left behind');

      port = await findFreePort();
      await publish();
    });
  });

  it('refuses a public address without a token', async () => {
    await refuses(
      ['publish', files, '--host', '0.0.0.0', '--port', String(port)],
      /0\.0\.0\.0 can be reached.*TIDEMARK_TOKEN/,
    );
  });

  it('takes a free port when it is given 0', async () => {
    const running = place.start(['publish', files, '--port', '0']);
    const [, url = ''] = await running.says(/Resource List {2,}(\S+)/);

    assert.equal((await fetch(url)).status, 200);
  });

  it('says now and then how far the first scan is, and stops it at the first signal', async () => {
    makeLargeFiles();
    const running = place.startProcess(['publish', files, '--port', String(port)]);
    // The second line comes after five seconds, also while one large file is read.
    await running.says(/^Scanning: \d+ files?, \d+ hashed .*\nScanning: /m);
    running.signal('SIGINT');

    assert.equal(await running.exit(), 0);
    assert.match(running.stderr, /stopping…(.|\n)*Stopped before everything was read\. What was read is kept/);
    assert.equal(running.stdout, '');
    const { stdout } = await place.run(['sets', 'show', 'my-maps', '--json']);
    assert.equal(JSON.parse(stdout).ready, false);
  });

  it('exits at once, with 130, at the second signal', async () => {
    writeFileSync(join(files, 'large.bin'), Buffer.alloc(50_000_000));
    const running = await publishInProcess();
    const slow = connect(port, '127.0.0.1').on('error', () => {});
    slow.write('GET /sets/my-maps/resources/large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n');
    // A request is in hand, and its client reads no further.
    await once(slow, 'readable');

    running.signal('SIGINT');
    await running.says(/stopping…/);
    running.signal('SIGINT');

    assert.equal(await running.exit(), 130);
    slow.destroy();
  });

  it('stops cleanly at SIGTERM', async () => {
    const running = await publish();
    running.signal('SIGTERM');

    assert.equal(await running.exit(), 0);
  });

  /** They take no room on the disk, and minutes to read. */
  function makeLargeFiles(): void {
    for (let at = 0; at < 100; at++) {
      writeFileSync(join(files, `large-${at}`), '');
      truncateSync(join(files, `large-${at}`), 1_000_000_000);
    }
  }

  function publish(...options: string[]): Promise<RunningTidemark> {
    return published(place.start(['publish', files, '--port', String(port), ...options]));
  }

  /** The same in a process of its own. */
  function publishInProcess(): Promise<RunningTidemark> {
    return published(place.startProcess(['publish', files, '--port', String(port)]));
  }

  async function published(running: RunningTidemark): Promise<RunningTidemark> {
    await running.says(/Ctrl-C stops/);
    return running;
  }

  async function stop(running: RunningTidemark): Promise<void> {
    running.signal('SIGINT');
    assert.equal(await running.exit(), 0, running.stderr);
  }

  async function refuses(args: readonly string[], message: RegExp) {
    const run = await place.run(args);
    assert.match(run.stderr, /^tidemark: /);
    assert.match(run.stderr, message);
    assert.equal(run.exitCode, 2);
    return run;
  }

  /** The URIs of the versions of a.txt in the Change List. */
  async function versionsOfA(): Promise<readonly string[]> {
    const list = await read('/sets/my-maps/changelist.xml');
    const links = list.matchAll(/<rs:ln rel="memento" href="([^"]*\/a\.txt[^"]*)"/g);
    return [...links].map(([, uri = '']) => uri.replaceAll('&amp;', '&'));
  }

  async function read(path: string): Promise<string> {
    return (await fetch(`http://localhost:${port}${path}`)).text();
  }
});

interface ListedChange {
  readonly path: string;
  readonly change: string;
  readonly datetime: string;
}

function changes(document: string): readonly ListedChange[] {
  const entries = document.matchAll(/<loc>\S*?\/resources(\S*?)<\/loc>.*?change="(\w+)" datetime="(\S+?)"/g);
  return [...entries].map(([, path = '', change = '', datetime = '']) => ({ path, change, datetime }));
}
