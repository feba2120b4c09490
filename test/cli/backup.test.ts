import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { backup } from '../../src/cli/commands/backup.ts';
import { restore } from '../../src/cli/commands/restore.ts';
import { Stopped } from '../../src/cli/exit-code.ts';
import { Terminal } from '../../src/cli/ui/terminal.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { copyStore } from '../../src/stores/open-stores.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { copyToFirstSchema } from '../support/first-schema.ts';
import { findFreePort } from '../support/free-port.ts';
import { SetReader } from '../support/set-reader.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const PAGE_BYTES = 8192;
const BASE_URL = 'http://source.example.org';

describe('a backup', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(() => place.close());

  it('is a copy of one state, made while changes are posted', async () => {
    await done('sets add records --url-prefix https://example.org/');
    const { url } = await start(['serve', '--base-url', 'http://localhost:8080']);
    const stop = new AbortController();
    const posting = postUntil(url, stop.signal);
    const { file, bytes } = JSON.parse(await done('backup copy.db --json'));
    stop.abort();
    const posted = await posting;
    assert.equal(file, join(place.folder, 'copy.db'));
    assert.ok(bytes > 0 && posted > 0);
    await done('verify records --store sqlite:copy.db');
    const { resources } = JSON.parse(await done('sets show records --store sqlite:copy.db --json'));
    assert.ok(resources <= posted);
  });

  it('is restored with a new history: names of the lost one answer 410, and clients miss no change', async () => {
    const files = join(place.folder, 'files');
    mkdirSync(files);
    writeFileSync(join(files, 'a.txt'), 'before');
    let server = await publish();
    await done('backup copy.db');
    writeFileSync(join(files, 'a.txt'), 'after!');
    writeFileSync(join(files, 'b.txt'), 'new');
    await server.stop();
    server = await publish();
    await until('the new file is there', async () => (await listOf(server)).resources.size === 2);
    const known = await listOf(server);
    await server.stop();

    await refused('restore copy.db', /Stop all servers and commands .*say --confirm/);
    assert.match(await done('restore copy.db --confirm'), /with 1 set, each of which has a new epoch/);
    const { sets, kept } = JSON.parse(await done('restore copy.db --confirm --json'));
    assert.equal(sets.length, 1);
    assert.ok(existsSync(kept));
    server = await publish();
    await until('it is scanned again', async () => {
      const { resources } = await listOf(server);
      return isDeepStrictEqual([...resources], [...known.resources]);
    });
    const old = await ask(`${server.url}/sets/files/resourcelist-1-00000001.xml`);
    assert.equal(old.status, 410);
    await server.stop();
    assert.deepEqual(
      readdirSync(join(place.folder, 'data')).filter((name) => name.includes('.part')),
      [],
    );
  });

  it('of an older version is migrated when it is restored', async () => {
    await done('sets add records --url-prefix https://example.org/');
    await place.run(['changes', 'post', 'records'], {
      input: '{"location": {"value": "a", "type": "rel_path"}, "change": "created"}',
    });
    await done('backup today.db');
    copyToFirstSchema(join(place.folder, 'today.db'), join(place.folder, 'old.db'));

    await refused('verify records --store sqlite:old.db', /schema version 1, .*run "tidemark migrate"/, 3);
    await done('restore old.db --confirm');
    await done('verify records');
    const { resources, epoch } = JSON.parse(await done('sets show records --json'));
    assert.equal(resources, 1);
    assert.ok(epoch > 1);
  });

  it('is restored as it is, also beside the write-ahead log of a store that was lost', async () => {
    await done('sets add records --url-prefix https://example.org/');
    await done('backup copy.db');
    const store = join(place.folder, 'data/tidemark.db');
    const database = new DatabaseSync(store);
    database.exec('DELETE FROM catalog');
    copyFileSync(`${store}-wal`, join(place.folder, 'left.wal'));
    database.close();
    rmSync(store);
    copyFileSync(join(place.folder, 'left.wal'), `${store}-wal`);

    await done('restore copy.db');
    await done('sets show records');
  });

  it('does not overwrite a file, and restoring refuses a file that is not a store', async () => {
    await done('sets add records --url-prefix https://example.org/');
    writeFileSync(join(place.folder, 'there.db'), 'something');
    await refused('backup there.db', /exists already: name another file/);
    await refused(
      'restore there.db --confirm',
      /the backup \S+there\.db cannot be restored: file is not a database\. Name/,
    );
    await refused('restore . --confirm', /the backup \S+ cannot be restored: /);
    const other = new DatabaseSync(join(place.folder, 'other.db'));
    other.exec('CREATE TABLE notes (text)');
    other.close();
    await refused('restore other.db --confirm', /the backup \S+ cannot be restored: it is not a store of Tidemark\./);
    await refused('restore missing.db --confirm', /missing\.db/);
    rmSync(join(place.folder, 'there.db'));
    await done('sets show records');
  });

  it('that is restored twice in a second overwrites no store that was set aside', async () => {
    await done('sets add records --url-prefix https://example.org/');
    await done('backup copy.db');
    const kept = new Set<string>();
    for (let at = 0; at < 4; at++) kept.add(JSON.parse(await done('restore copy.db --confirm --json')).kept);
    assert.equal(kept.size, 4);
    for (const file of kept) await done(`sets show records --store sqlite:${file}`);
  });

  it('leaves the store before in its place when the restoring process is killed', async () => {
    await done('sets add records --url-prefix https://example.org/');
    await done('backup copy.db');
    await done('sets add later --url-prefix https://example.org/later/');
    const env = { TIDEMARK_FAILPOINT: 'restore.kept:kill' };
    const { exitCode } = await place.run(['restore', 'copy.db', '--confirm'], { env });
    assert.notEqual(exitCode, 0);
    await done('sets show later');
    await done('restore copy.db --confirm');
    await done('sets show records');
    await refused('sets show later', /later/);
  });

  it('is not restored from a file of the store itself, by whatever name', async () => {
    await done('sets add records --url-prefix https://example.org/');
    const store = join(place.folder, 'data/tidemark.db');
    symlinkSync(store, join(place.folder, 'link.db'));
    copyFileSync(store, `${store}.part`);
    for (const file of ['data/tidemark.db', 'link.db', 'data/tidemark.db.part'])
      await refused(`restore ${file} --confirm`, /is not a backup, but a file of the store \S+tidemark\.db itself/);
    assert.ok(existsSync(`${store}.part`));
    await done('sets show records');
  });

  it('that is damaged is refused, and the store stays as it is', async () => {
    await done('sets add records --url-prefix https://example.org/');
    const event = (number: number) => `{"location": {"value": "${number}", "type": "rel_path"}, "change": "created"}`;
    await place.run(['changes', 'post', 'records'], {
      input: Array.from({ length: 2000 }, (_, at) => event(at)).join('\n'),
    });
    await done('backup copy.db');
    const bytes = readFileSync(join(place.folder, 'copy.db'));
    const middle = Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES;
    const page = Buffer.from(bytes).fill(0xff, middle, middle + PAGE_BYTES);
    for (const damaged of [page, bytes.subarray(0, middle)]) {
      writeFileSync(join(place.folder, 'damaged.db'), damaged);
      await refused(
        'restore damaged.db --confirm',
        /the backup \S+damaged\.db is damaged, and nothing was restored/,
        3,
      );
    }
    await done('verify records');
    assert.deepEqual(readdirSync(join(place.folder, 'data')).sort(), ['tidemark.db', 'tidemark.db.lock']);
  });

  it('leaves nothing behind when it is stopped, and neither does restoring it', async () => {
    await done('sets add records --url-prefix https://example.org/');
    await done('backup copy.db');
    const loaded = loadConfiguration({ flags: {}, environment: {}, workingDirectory: place.folder });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const terminal = new Terminal({ stdin, stdout, stderr }, false);
    const stopped = AbortSignal.abort(new Stopped('stopped'));
    const call = { loaded, terminal, stopped, workingDirectory: place.folder, program: 'tidemark' };
    await assert.rejects(backup.run({ ...call, args: ['another.db'], options: {} }), Stopped);
    await assert.rejects(restore.run({ ...call, args: ['copy.db'], options: { confirm: true } }), Stopped);
    assert.deepEqual(readdirSync(place.folder).sort(), ['copy.db', 'data']);
    assert.deepEqual(readdirSync(join(place.folder, 'data')).sort(), ['tidemark.db', 'tidemark.db.lock']);

    const store = join(place.folder, 'data/tidemark.db');
    const database = new DatabaseSync(store);
    database.exec('CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(50_000_000))');
    database.close();
    const stopping = new AbortController();
    const copied: number[] = [];
    const onProgress = (bytes: number) => {
      copied.push(bytes);
      stopping.abort(new Stopped('stopped'));
    };
    const options = { signal: stopping.signal, onProgress };
    await assert.rejects(copyStore(store, join(place.folder, 'part.db'), options), Stopped);
    assert.equal(copied.length, 1);
  });

  it('leaves alone what another one is writing, and of two at once each is whole or refused', async () => {
    await done('sets add records --url-prefix https://example.org/');
    const unfinished = join(place.folder, 'copy.db.part');
    writeFileSync(unfinished, 'of another backup');
    const both = await Promise.all(['copy.db', 'copy.db'].map((file) => place.run(['backup', file])));
    for (const { exitCode, stderr } of both) if (exitCode !== 0) assert.match(stderr, /copy\.db exists already/);
    assert.ok(both.some(({ exitCode }) => exitCode === 0));
    assert.equal(readFileSync(unfinished, 'utf8'), 'of another backup');
    assert.deepEqual(readdirSync(place.folder).sort(), ['copy.db', 'copy.db.part', 'data']);
    await done('verify records --store sqlite:copy.db');
  });

  it('removes what a killed one has left an hour ago, by whatever name', async () => {
    await done('sets add records --url-prefix https://example.org/');
    const env = { TIDEMARK_FAILPOINT: 'backup.copied:kill' };
    for (const file of ['monday.db', 'tuesday.db']) {
      assert.equal((await place.run(['backup', file], { env })).exitCode, null);
    }
    const left = () => readdirSync(place.folder).filter((name) => name !== 'data');
    const [monday, tuesday, ...others] = left().toSorted();
    assert.match(`${monday} ${tuesday}`, /^monday\.db\.\S+ tuesday\.db\.\S+$/);
    assert.deepEqual(others, []);
    const before = Date.now() / 1000 - 3_700;
    utimesSync(join(place.folder, monday!), before, before);
    await done('backup wednesday.db');
    assert.deepEqual(left().toSorted(), [tuesday, 'wednesday.db']);
  });

  it('is not made in a folder that does not exist', async () => {
    await done('sets add records --url-prefix https://example.org/');
    await refused('backup nowhere/copy.db', /there is no folder \S+nowhere\n$/);
  });

  const listOf = ({ url }: { url: string }) => new SetReader(`${BASE_URL}/sets/files/`, url).resourceList();
  const publish = () => start(['publish', 'files', '--base-url', BASE_URL]);

  async function start(command: readonly string[]) {
    const port = await findFreePort();
    const server = place.start([...command, '--port', String(port)]);
    const url = `http://127.0.0.1:${port}`;
    await until('it is ready', async () => (await ask(`${url}/readyz`).catch(() => undefined))?.status === 200);
    return {
      url,
      async stop() {
        server.signal('SIGTERM');
        assert.equal(await server.exit(), 0, server.stderr);
      },
    };
  }

  async function done(line: string): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(line.split(' '));
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }

  async function refused(line: string, message: RegExp, code = 2): Promise<void> {
    const { exitCode, stderr } = await place.run(line.split(' '));
    assert.match(stderr, message);
    assert.equal(exitCode, code);
  }
});

/** @returns how many events were acknowledged */
async function postUntil(url: string, stop: AbortSignal): Promise<number> {
  for (let number = 1; ; number++) {
    const event = { location: { type: 'rel_path', value: `${number}` }, change: 'created' };
    const { status } = await ask(`${url}/api/sets/records/changes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ changes: [event] }),
    });
    assert.equal(status, 200);
    if (stop.aborted) return number;
  }
}
