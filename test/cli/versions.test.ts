import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { keptVersions, sha256 } from '../support/kept-versions.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('tidemark with --keep-versions', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    mkdirSync(join(place.folder, 'files'));
    write('a', 'first');
  });
  afterEach(() => place.close());

  function write(name: string, content: string): void {
    const file = join(place.folder, 'files', name);
    writeFileSync(file, content);
    utimesSync(file, LONG_AGO, LONG_AGO);
  }

  async function find(content: string, set = 1) {
    const artifacts = openArtifacts({ kind: 'folder', folder: join(place.folder, 'data/artifacts') });
    try {
      return (await keptVersions(artifacts, set)).find(({ digest }) => digest === sha256(content));
    } finally {
      await artifacts.close();
    }
  }

  const isKept = async (content: string, set = 1) => (await find(content, set)) !== undefined;

  /** Removes the object that has its bytes. */
  async function lose(content: string): Promise<void> {
    rmSync(join(place.folder, 'data/artifacts', (await find(content))!.key));
  }

  async function done(words: string) {
    const { exitCode, stdout, stderr } = await place.run([...words.split(' '), '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  }

  async function refused(words: string): Promise<string> {
    const { exitCode, stderr } = await place.run(words.split(' '));
    assert.ok(exitCode !== 0);
    return stderr;
  }

  itOnce('keeps the bytes of every version of a file', async () => {
    assert.equal((await done('sets add maps --root files --keep-versions')).keepVersions, true);
    await done('scan maps --dry-run');
    assert.ok(!(await isKept('first')));
    for (const content of ['first', 'second', 'third']) {
      write('a', content);
      await done('scan maps');
    }
    for (const content of ['first', 'second', 'third']) assert.ok(await isKept(content), content);
    // Nothing is different, wherever the bytes are.
    const { unchanged, updated } = await done('scan maps --dry-run --rehash');
    assert.deepEqual([unchanged, updated], [1, 0]);
    assert.equal((await done('scan maps --rehash')).unchanged, 1);
    await done('sets change maps --no-keep-versions');
    for (const words of ['scan maps --dry-run --rehash', 'scan maps --rehash']) {
      const { unchanged, updated } = await done(words);
      assert.deepEqual([unchanged, updated], [1, 0], words);
    }
  });

  itOnce('keeps the bytes once of a file of which only the time has changed, and lists both versions', async () => {
    await done('sets add maps --root files --keep-versions');
    await done('scan maps');
    const before = await find('first');
    utimesSync(join(place.folder, 'files/a'), LONG_AGO + 1, LONG_AGO + 1);
    assert.equal((await done('scan maps')).updated, 1);
    assert.deepEqual(await find('first'), before);
    assert.equal((await place.run(['versions', 'list', 'maps'])).stdout.trim().split('\n').length, 2);
  });

  itOnce('keeps what an existing set has by the next scan, and everything from then on', async () => {
    await done('sets add maps --root files');
    await done('scan maps');
    assert.ok(!(await isKept('first')));
    await done('sets change maps --keep-versions');
    const { unchanged, updated } = await done('scan maps');
    assert.deepEqual([unchanged, updated], [1, 0]);
    assert.ok(await isKept('first'));
    assert.equal((await done('scan maps')).hashed, 0);

    await done('sets change maps --no-keep-versions');
    assert.equal((await done('sets show maps')).keepVersions, undefined);
    write('a', 'second');
    await done('scan maps');
    assert.ok(!(await isKept('second')));
    await done('sets change maps --keep-versions');
    await done('scan maps');
    assert.ok(await isKept('second'));
  });

  // In a process of its own: the thread that packs is started before the set is read, and is then idle.
  itOnce('ends with the exit code of wrong usage when there is nothing to pack', async () => {
    await done('sets add papers --url-prefix https://papers.example.org/');
    const { exitCode, stderr } = await place.runProcess(['dumps', 'build', 'papers']);
    assert.match(stderr, /^tidemark: the bytes of "papers" are elsewhere/);
    assert.equal(exitCode, 2);
  });

  itOnce('refuses sets whose bytes are elsewhere, and posted events, and says what to do', async () => {
    assert.match(
      await refused('sets add maps --url-prefix https://example.org/ --keep-versions'),
      /elsewhere: --keep-versions needs a set with --root, --records or --from/,
    );
    await done('sets add papers --url-prefix https://example.org/');
    for (const words of ['versions list papers', 'versions prune papers --older-than 1d']) {
      assert.match(await refused(words), /"papers" publishes no versions: the bytes of its resources are elsewhere\n/);
    }
    assert.match(
      await refused('dumps list papers'),
      /the bytes of "papers" are elsewhere, so there is nothing to pack/,
    );
    await done('sets add maps --root files --keep-versions');
    await done('scan maps');
    const event = '{"change":"deleted","location":{"type":"rel_path","value":"a"}}\n';
    const { stderr } = await place.run(['changes', 'post', 'maps'], { input: event });
    assert.match(stderr, /takes no posted events: it keeps the bytes of every version.*--no-keep-versions/);
  });

  async function list(...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(['versions', 'list', 'maps', ...words]);
    assert.equal(exitCode, 0, stderr);
    return stdout + stderr;
  }

  it('lists the versions that are kept, of the set or of a resource, the newest first', async () => {
    await done('sets add maps --root files --keep-versions');
    await done('scan maps');
    write('a', 'second one');
    write('b c', 'other');
    await done('scan maps');
    rmSync(join(place.folder, 'files/b c'));
    await done('scan maps');
    const lines = (await list()).trim().split('\n');
    assert.equal(lines.length, 3);
    assert.deepEqual(lines.toSorted().reverse(), lines);
    const digest = sha256('second one');
    assert.match((await list('/a')).split('\n')[0]!, new RegExp(`^\\S+Z +10 +${digest}  /a$`));
    assert.match(await list('/a', '--limit', '1'), /^[^\n]* \/a\nThese are the newest 1; --limit prints more\.\n$/);
    assert.match(await list('/none'), /^No version of \/none is kept\.\n$/);
    assert.match(
      await list('none'),
      /^No version of none is kept\. .* begin with a slash, and are percent-encoded: try \/none\n$/,
    );
    for (const path of ['b c', '/b c']) assert.match(await list(path), /is kept\. .* try \/b%20c\n$/);
    assert.match(await list('/b%20d'), /^No version of \/b%20d is kept\.\n$/);
    const objects = jsonLines(await list('/b%20c', '--json'));
    assert.equal(objects.length, 1);
    const { uri, datetime, ...rest } = objects[0];
    assert.deepEqual(rest, { key: '/b%20c', length: 5, hashes: { 'sha-256': sha256('other') } });
    assert.ok(uri.endsWith(`/sets/maps/versions/${datetime}/b%20c`), uri);

    await lose('first');
    assert.equal((await list('/a')).trim().split('\n').length, 1);
    await done('sets change maps --no-keep-versions');
    assert.match(await refused('versions list maps'), /publishes no versions: .*--keep-versions/);
    await done('sets change maps --keep-versions');
    for (const words of ['versions list maps', 'versions prune maps --older-than 1d']) {
      assert.match(
        await refused(words),
        /"maps" publishes no versions before its next full scan: run "tidemark scan maps"\n$/,
      );
    }
    await done('scan maps');
    assert.equal((await list()).trim().split('\n').length, 2);
  });

  const DAY = 86_400;

  // Once: a process whose clock is months ahead cannot use Elasticsearch.
  itOnce('prunes versions that were replaced or deleted long ago, and says before what it would remove', async () => {
    await done('sets add maps --root files --keep-versions');
    await done('scan maps');
    write('a', 'second');
    write('b', 'other');
    await done('scan maps');
    rmSync(join(place.folder, 'files/b'));
    await done('scan maps');
    assert.deepEqual(await done('versions prune maps --older-than 90d'), {
      ...{ set: 'maps', dryRun: false, versions: 0, bytes: 0 },
    });
    const early = await place.run(['versions', 'prune', 'maps', '--older-than', '0s', '--dry-run']);
    assert.match(
      early.stdout,
      /0 versions, 0 B\.\n.*\nBytes that were stored within the last day are not removed yet\.\n$/,
    );
    const env = new SettableClock(place.folder, 100 * DAY).environment;
    const prune = async (...words: readonly string[]) => {
      const { exitCode, stdout, stderr } = await place.runProcess(
        ['versions', 'prune', 'maps', '--older-than', '90d', ...words],
        { env },
      );
      assert.equal(exitCode, 0, stderr);
      return stdout;
    };
    assert.match(
      await prune('--dry-run'),
      /^maps: would remove the bytes of 2 versions, 10 B\.\nVersions that had ended by \S+ would be published no longer\.\n$/,
    );
    assert.ok((await isKept('first')) && (await isKept('other')));
    const { before, ...removed } = JSON.parse(await prune('--json'));
    assert.deepEqual(removed, { set: 'maps', dryRun: false, versions: 2, bytes: 10 });
    assert.match(before, /^\d{4}-.*Z$/);
    assert.deepEqual([await isKept('first'), await isKept('second'), await isKept('other')], [false, true, false]);
    assert.match(
      await prune(),
      /^maps: removed the bytes of 0 versions, 0 B\.\nVersions that had ended by \S+ are published no longer\.\n$/,
    );
    assert.equal((await list()).trim().split('\n').length, 1);
    const { exitCode, stderr } = await place.run(['verify', 'maps', '--published']);
    assert.equal(exitCode, 0, stderr);

    write('c', 'third');
    assert.equal((await place.runProcess(['scan', 'maps'], { env })).exitCode, 0);
    const { key } = (await find('third'))!;
    writeFileSync(join(place.folder, 'data/artifacts', key), 'no pack');
    const words = ['versions', 'prune', 'maps', '--older-than', '90d'];
    const damaged = await place.runProcess(words, { env });
    assert.equal(damaged.exitCode, 1, damaged.stderr);
    assert.match(damaged.stdout, new RegExp(`\nNothing of this pack is removed: ${key} is not a pack of versions: `));
    const json = await place.runProcess([...words, '--json'], { env });
    assert.equal(JSON.parse(json.stdout).damaged.length, 1);
  });

  // It takes a while: the process reads its clock every 10 seconds.
  itOnce('prunes every night the versions of sets with --versions-days', async () => {
    assert.equal((await done('sets add maps --root files --keep-versions --versions-days 90')).versionsDays, 90);
    await done('scan maps');
    write('a', 'second');
    await done('scan maps');
    const in100Days = new Date(Date.now() + 100 * DAY * 1000);
    const before = (in100Days.setUTCHours(4, 34, 0) - Date.now()) / 1000;
    const clock = new SettableClock(place.folder, before);
    const work = place.startProcess(['work', '--kinds', 'prune-versions'], { env: clock.environment });
    await until('it runs', async () => work.stderr !== '' || work.stdout !== '');
    clock.set(before + 120);
    await until('the version is removed', async () => !(await isKept('first')));
    work.signal('SIGTERM');
    await work.exit();
    assert.ok(await isKept('second'));
  });

  itOnce('prunes no set without versions of files, and says why', async () => {
    await done('sets add maps --root files');
    assert.match(await refused('versions prune maps --older-than 1d'), /publishes no versions: .*--keep-versions/);
    assert.match(await refused('versions prune maps'), /--older-than/);
    await done('sets add papers --records cdl/harvest --keep-versions');
    assert.match(await refused('versions prune papers --older-than 1d'), /records of artifacts/);
    assert.match(await refused('sets change papers --versions-days 9'), /no files/);
  });

  itOnce('says why there is no Change Dump, what it made, and after which window it begins anew', async () => {
    const change = async (...contents: readonly string[]) => {
      for (const content of contents) {
        write('a', content);
        await done('scan maps');
      }
    };
    const build = async () => (await place.run(['dumps', 'build', 'maps'])).stdout.split('\n').slice(1).join('\n');
    await done('sets add maps --root files --window-size 2 --keep-versions');
    await change('1', '2');
    assert.equal(await build(), 'No Change Dump yet: no window of its changes is closed.\n');
    await done('sets change maps --no-keep-versions');
    await change('3');
    await done('sets change maps --keep-versions');
    await done('scan maps');
    assert.match(
      await build(),
      /^No Change Dump yet: the versions of the windows that are closed are not kept, only those after \S+Z\.\n$/,
    );
    const { changes } = await done('dumps build maps');
    assert.deepEqual([changes.packages, changes.closedWindows], [0, 1]);
    assert.match(changes.since, /Z$/);
    await change('4', '5');
    assert.equal(await build(), 'Change Dump: 1 package made.\n');

    // The windows 3 to 5 are closed; a version of the fourth is lost.
    await change('6', '7', '8', '9', '10', '11');
    await lose('8');
    assert.match(
      await build(),
      /^Bytes of versions are missing in the window 1-00000004: the Change Dump begins after it, at \S+Z, without the 1 package that it had\.\nChange Dump: 1 package made\.\n$/,
    );
    await lose('11');
    await change('12', '13');
    assert.match(await build(), /begins after it, .*\nNo Change Dump yet: no window after that is closed\.\n$/);
    const { lost } = (await done('dumps build maps')).changes;
    assert.deepEqual([lost.window, lost.dropped], ['1-00000006', 0]);
  });

  it('removes the versions of a set with the set, and no others', async () => {
    mkdirSync(join(place.folder, 'others'));
    writeFileSync(join(place.folder, 'others/a'), 'first');
    await done('sets add maps --root files --keep-versions');
    await done('sets add others --root others --keep-versions');
    write('b', 'other');
    await done('scan maps');
    write('a', 'second');
    await done('scan maps');
    await done('scan others');
    const { stderr } = await place.run(['sets', 'remove', 'maps', '--confirm']);
    assert.match(stderr, /Removed 3 versions of its resources/);
    assert.deepEqual([await isKept('first'), await isKept('second'), await isKept('first', 2)], [false, false, true]);
  });
});
