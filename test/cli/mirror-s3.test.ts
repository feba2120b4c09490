import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteObjectsCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { type Asked, FaultProxy } from '../support/fault-proxy.ts';
import { LIST, MirroredSource, sha256 } from '../support/mirrored-source.ts';
import { killTidemarks, runProcess, runTidemark, startProcess, startTidemark } from '../support/run-tidemark.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { refuseWith } from '../support/s3-refusal.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const AT = '2026-01-01T00:00:00Z';
const FILES = { 'a.txt': 'one', 'b.txt': 'two', 'd/c%20%C3%A9.txt': 'three' };
const COPY = { 'a.txt': 'one', 'b.txt': 'two', 'd/c é.txt': 'three' };
const PREFIX = 'copies/maps/';
const LONG = 9 * 1024 * 1024;

describe('tidemark mirror into a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
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

  const target = () => rootOf(s3, bucket.name, PREFIX);
  const run = (...words: readonly string[]) => runTidemark(words, { cwd: place.path });
  const commandOf = (words: readonly string[], state = 'state') =>
    ['mirror', source.url, target(), '--state', state, ...words] as const;
  const mirror = (...words: readonly string[]) => run(...commandOf(words));
  const copy = () => bucket.files(PREFIX);
  const done = async (...words: readonly string[]) => {
    const { stdout, stderr, exitCode } = await mirror('--json', ...words);
    assert.equal(exitCode, 0, stdout + stderr);
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  };
  const uploads = async () => {
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    return Uploads.length;
  };
  /** Lists a resource of which the server then sends the bytes, in two pieces. */
  const putLong = (name: string, listed: Buffer, sent = listed, between = (next: () => void) => next()) => {
    const { baseUrl, answers } = source.served;
    const md = `hash="${sha256(listed)}" length="${listed.length}"`;
    const entry = `<url><loc>${baseUrl}/files/${name}</loc><rs:md ${md}/></url>`;
    answers.set(LIST, String(answers.get(LIST)).replace('</urlset>', `${entry}</urlset>`));
    answers.set(`/files/${name}`, (_, response) => {
      response.writeHead(200, { 'content-length': sent.length }).write(sent.subarray(0, -10));
      between(() => response.end(sent.subarray(-10)));
    });
  };

  it('copies a source, then what has changed, and deletes what was deleted', async () => {
    source.changes(AT, []);
    const first = await mirror();
    assert.equal(first.exitCode, 0, first.stderr);
    assert.match(first.stdout, /^3 fetched \(11 B\): the copy has 3 resources/);
    assert.deepEqual(await copy(), COPY);
    source.put({ 'a.txt': 'changed', 'b.txt': undefined, 'n.txt': 'new' });
    source.changes(AT, [
      { path: 'a.txt', change: 'updated', datetime: '2026-01-02T00:00:00Z' },
      { path: 'b.txt', change: 'deleted', datetime: '2026-01-02T00:00:01Z' },
      { path: 'n.txt', change: 'created', datetime: '2026-01-02T00:00:02Z' },
    ]);
    const report = await done('--keep-deleted');
    assert.deepEqual([report.fetched, report.deleted, report.compared], [2, 1, undefined]);
    const { 'b.txt': deleted, ...left } = COPY;
    const kept = { '.tidemark-mirror-deleted/b.txt': deleted };
    assert.deepEqual(await copy(), { ...kept, ...left, 'a.txt': 'changed', 'n.txt': 'new' });
    const status = await run('mirror', 'status', target(), '--state', 'state');
    assert.match(status.stdout, /^s3:\S+\/copies\/maps is a copy of http.*\nIt has 3 resources/);
    assert.match((await run('mirror', 'status', 'state')).stdout, /^s3:\S+\/copies\/maps is a copy of http/);
  });

  it('makes nothing visible before its bytes are those of the list, and leaves no upload of a long one', async () => {
    const bytes = Buffer.alloc(LONG, 'long ');
    putLong('long', bytes, Buffer.alloc(LONG, 'LONG '));
    const { stdout, exitCode } = await mirror();
    assert.equal(exitCode, 1);
    assert.match(stdout, /files\/long: its sha-256 is/);
    assert.deepEqual([await copy(), await uploads()], [COPY, 0]);
    source.list(AT);
    putLong('long', bytes);
    await done();
    assert.deepEqual([await copy(), await uploads()], [{ ...COPY, long: String(bytes) }, 0]);
    assert.equal((await mirror('--audit', '--rehash')).exitCode, 0);
  });

  it('goes on after it was killed anywhere, and leaves no upload', async function () {
    this.timeout(120_000);
    const bytes = Buffer.alloc(LONG, 'long ');
    putLong('long', bytes);
    for (const failpoint of FAILPOINTS.mirror) {
      const killed = await runProcess(commandOf([]), {
        cwd: place.path,
        env: { TIDEMARK_FAILPOINT: `${failpoint}:kill` },
      });
      assert.equal(killed.exitCode, null, failpoint);
    }
    // Now in the middle of an upload of parts.
    source.list('2026-01-02T00:00:00Z');
    const newer = Buffer.alloc(LONG, 'newer ');
    putLong('long', newer, newer, () => {});
    const running = startProcess(commandOf([]), { cwd: place.path });
    await until('it uploads', async () => (await uploads()) === 1);
    await running.kill();
    assert.equal((await copy()).long, String(bytes));
    source.list('2026-01-02T00:00:00Z');
    putLong('long', newer);
    await done();
    assert.deepEqual([await copy(), await uploads()], [{ ...COPY, long: String(newer) }, 0]);
  });

  it('finds by an audit what was changed in the bucket, and fetches it again', async () => {
    source.changes(AT, []);
    await done();
    await bucket.put(`${PREFIX}a.txt`, 'ONE');
    await bucket.put(`${PREFIX}mine.txt`, 'mine');
    await bucket.client.send(
      new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects: [{ Key: `${PREFIX}b.txt` }] } }),
    );
    const { stdout, exitCode } = await mirror('--audit', '--rehash');
    assert.equal(exitCode, 1);
    assert.match(stdout, /a\.txt was changed in the copy\n {2}b\.txt is missing in the copy\n {2}mine\.txt is of no/);
    assert.equal((await done()).fetched, 2);
    assert.deepEqual(await copy(), { ...COPY, 'mine.txt': 'mine' });
  });

  it('finds nothing changed by an audit while the bucket does not answer', async () => {
    source.changes(AT, []);
    const proxy = await FaultProxy.start(s3.endpoint);
    try {
      const through = (...words: readonly string[]) =>
        run('mirror', source.url, rootOf({ endpoint: proxy.url }, bucket.name, PREFIX), '--state', 'state', ...words);
      assert.equal((await through()).exitCode, 0);
      const isBytes = ({ method, path }: Asked) => method === 'GET' && path.includes('.txt');
      for (const [status, code] of [
        [503, 'SlowDown'],
        [403, 'AccessDenied'],
      ] as const) {
        const fault = proxy.on(isBytes, refuseWith(status, code));
        const { stdout, stderr, exitCode } = await through('--audit', '--rehash');
        assert.equal(exitCode, 3, stdout);
        assert.match(stderr, new RegExp(`cannot be used: .*${status} ${code}`));
        fault.remove();
      }
      const { stdout, exitCode } = await through('--audit', '--rehash');
      assert.equal(exitCode, 0, stdout);
    } finally {
      await proxy.close();
    }
  });

  it('is kept by one machine at a time: another one is refused, or takes the copy over without fetching it', async () => {
    source.changes(AT, []);
    await done();
    const requests = source.requestsOf('a.txt');
    const other = await run(...commandOf([], 'elsewhere'));
    assert.equal(other.exitCode, 2);
    assert.match(other.stderr, /is a copy of http:\S+ whose state is on \S+: mirror it there, give .* with --adopt/);
    const taken = await run(...commandOf(['--adopt', '--json'], 'elsewhere'));
    const { adopted, fetched } = JSON.parse(taken.stdout.trim().split('\n').at(-1)!);
    assert.deepEqual([adopted, fetched, source.requestsOf('a.txt')], [3, 0, requests]);
    const before = await mirror();
    assert.equal(before.exitCode, 2);
    assert.match(before.stderr, /whose state is on/);
    assert.deepEqual(await copy(), COPY);
  });

  it('stops following when another machine has taken the copy over', async () => {
    source.changes(AT, []);
    const following = startTidemark(commandOf(['--follow', '--interval', '1s']), { cwd: place.path });
    await following.says(/Following it/);
    assert.equal((await run(...commandOf(['--adopt'], 'elsewhere'))).exitCode, 0);
    assert.equal(await following.exit(), 2);
    assert.match(following.stderr, /whose state is on/);
  });

  it('copies everything again when the bucket was emptied', async () => {
    source.changes(AT, []);
    await done();
    const Objects = [...Object.keys(COPY), '.tidemark-mirror.json'].map((path) => ({ Key: PREFIX + path }));
    await bucket.client.send(new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects } }));
    assert.equal((await done()).fetched, 3);
    assert.deepEqual(await copy(), COPY);
  });

  it('takes no prefix that has something else, unless it is to adopt it', async () => {
    await bucket.put(`${PREFIX}a.txt`, 'one');
    const { stderr, exitCode } = await mirror();
    assert.equal(exitCode, 2);
    assert.match(stderr, /is not empty, and no copy that tidemark made: use another prefix, or --adopt/);
    assert.deepEqual(await copy(), { 'a.txt': 'one' });
    const report = await done('--adopt');
    assert.deepEqual([report.adopted, report.fetched], [1, 2]);
  });

  it('keeps its state in the home of the user, and one folder for each copy', async () => {
    const home = { cwd: place.path, env: { HOME: place.path } };
    assert.equal((await runProcess(['mirror', source.url, target()], home)).exitCode, 0);
    assert.equal(readdirSync(place.at('.local/state/tidemark/mirrors')).length, 1);
    assert.equal((await runProcess(['mirror', 'status', target()], home)).exitCode, 0);
    for (const [words, problem] of [
      [[rootOf(s3, bucket.name, 'b'), '--state', 'state'], undefined],
      [[target(), '--state', 'state'], /state has the state of the copy in s3:\S+\/b: give another folder/],
      [['state'], /state has the state of the copy in s3:\S+\/b: use another folder, or give s3:\S+ and --state/],
      [['copy', '--state', 'state'], /--state is for a copy in a bucket/],
    ] as const) {
      const { stderr, exitCode } = await run('mirror', source.url, ...words);
      assert.equal(exitCode, problem === undefined ? 0 : 2, stderr);
      if (problem !== undefined) assert.match(stderr, problem);
    }
  });

  it('finds a state that an earlier version stored, in a folder named without the endpoint, if it is of the copy', async () => {
    source.changes(AT, []);
    const home = { cwd: place.path, env: { HOME: place.path } };
    const folders = place.at('.local/state/tidemark/mirrors');
    const digest = createHash('sha256').update(`s3://${bucket.name}/copies/maps`).digest('hex').slice(0, 12);
    const earlier = `${bucket.name}-${digest}`;
    const rename = (from: string, to: string) => renameSync(join(folders, from), join(folders, to));
    const succeed = async (...words: readonly string[]) => {
      const { stdout, stderr, exitCode } = await runProcess([...words, '--json'], home);
      assert.equal(exitCode, 0, stdout + stderr);
      return JSON.parse(stdout.trim().split('\n').at(-1)!);
    };

    assert.equal((await succeed('mirror', source.url, target())).fetched, 3);
    const [present] = readdirSync(folders);
    for (const words of [
      ['mirror', source.url, target()],
      ['mirror', 'status', target()],
    ]) {
      rename(present!, earlier);
      const report = await succeed(...words);
      assert.deepEqual([report.fetched ?? 0, report.resources], [0, 3]);
      assert.deepEqual(readdirSync(folders), [present]);
    }

    // A process of the earlier version that keeps the copy goes on with its folder.
    const following = startProcess(['mirror', source.url, target(), '--follow', '--interval', '1h'], home);
    await following.says(/Following it/);
    rename(present!, earlier);
    assert.equal((await succeed('mirror', 'status', target())).pid, following.pid);
    assert.deepEqual(readdirSync(folders), [earlier]);
    await following.kill();
    rename(earlier, present!);

    const other = rootOf(s3, bucket.name, 'other');
    await succeed('mirror', source.url, other);
    const ofOther = readdirSync(folders).find((name) => name !== present)!;
    rename(present!, 'kept');
    rename(ofOther, earlier);
    const refused = await runProcess(['mirror', source.url, target()], home);
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, /whose state is on/);
    assert.deepEqual(readdirSync(folders).sort(), [earlier, present, 'kept'].sort());
  });

  it('says that there is no such bucket, and copies nothing', async () => {
    const { stderr, exitCode } = await run('mirror', source.url, rootOf(s3, 'no-such-bucket'), '--state', 'state');
    assert.equal(exitCode, 3);
    assert.match(
      stderr,
      /the copy s3:\/\/no-such-bucket does not exist: \S+ has no bucket no-such-bucket: make it first/,
    );
    assert.equal(source.requestsOf('a.txt'), 0);
    assert.equal(existsSync(place.at('copy')), false);
  });

  it('says that the server does not know the access key, and does not take the bucket for missing', async () => {
    await done();
    const env = { AWS_ACCESS_KEY_ID: 'unknown', AWS_SECRET_ACCESS_KEY: 'wrongwrong' };
    for (const state of ['state', 'other-state']) {
      const { stderr, exitCode } = await runProcess(commandOf([], state), { cwd: place.path, env });
      assert.equal(exitCode, 3);
      assert.match(
        stderr,
        /the copy s3:\S+ cannot be used: \S+ does not accept the credentials .*: check key and secret/,
      );
    }
    assert.deepEqual(await copy(), COPY);
  });
});
