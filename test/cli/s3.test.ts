import assert from 'node:assert/strict';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { environmentOf, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('a bucket on the command line', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    for (const path of ['a', 'b', 'c']) await put(path);
  });
  afterEach(() => place.close());

  const put = (path: string, content = path) => bucket.put(`some maps/${path}`, content);
  const root = () => rootOf(s3, bucket.name, 'some maps');
  const canonical = () => `s3://${bucket.name}/some%20maps?endpoint=${s3.endpoint}`;
  const run = (...args: string[]) => place.run(args);

  async function done(...args: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(...args);
    assert.equal(exitCode, 0, stdout + stderr);
    return stdout;
  }

  it('is added as a set, scanned and verified', async () => {
    await done('sets', 'add', 'maps', '--root', root(), '--redirect', 'presigned', '--redirect-expiry', '5m');
    const shown = JSON.parse(await done('sets', 'show', 'maps', '--json'));
    assert.deepEqual([shown.root, shown.presignedSeconds, shown.resourceRootDir], [canonical(), 300, undefined]);

    assert.match(await done('scan', 'maps'), /maps: 3 files in .*: 3 created, 0 updated, 0 deleted/);
    await put('b', 'changed');
    assert.match(await done('scan', 'maps'), /0 created, 1 updated, 0 deleted/);
    assert.match(await done('verify', 'maps', '--root'), /no difference/);
  });

  it('is published, and its changes show up', async () => {
    const port = await findFreePort();
    const args = ['publish', root(), '--port', String(port), '--s3-poll-interval', '200ms'];
    const published = place.start(args, { env: environmentOf(s3) });
    await published.says(/Published s3:.* as "some-maps": 3 files/);
    await put('d');
    const api = `http://127.0.0.1:${port}/api/sets/some-maps`;
    await until('d', async () => (await askJson(api)).body.resources === 4);
    published.signal('SIGINT');
    assert.equal(await published.exit(), 0);

    const again = place.start(args, { env: environmentOf(s3) });
    await again.says(/Published s3:.* 4 files/);
    again.signal('SIGINT');
    assert.equal(await again.exit(), 0);
  });

  it('is published by several processes, and what either is notified of shows up', async () => {
    const port = await findFreePort();
    const args = ['publish', root(), '--port', String(port), '--s3-poll-interval', '1h', '--processes', '2'];
    const published = place.start(args, { env: environmentOf(s3) });
    await published.says(/Published s3:.* 3 files/);
    const api = `http://127.0.0.1:${port}/api/sets/some-maps`;
    // Each comes on a connection of its own, to one of the processes by chance.
    const told = Array.from({ length: 12 }, async (_, n) => {
      await put(`told-${n}`);
      const s3Object = { bucket: { name: bucket.name }, object: { key: `some+maps/told-${n}` } };
      return askJson(`${api}/s3-events`, { Records: [{ eventName: 's3:ObjectCreated:Put', s3: s3Object }] });
    });
    for (const { status, body } of await Promise.all(told)) assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await askJson(api)).body.resources, 15);
    published.signal('SIGINT');
    assert.equal(await published.exit(), 0);
  });

  it('is refused with words that help, and that hold no keys', async () => {
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['sets', 'add', 'x', '--root', 's3://key:secretsecret@maps'], 2, /put credentials into the environment/],
      [['sets', 'add', 'x', '--root', `${root()}&acces-key=secretsecret`], 2, /unknown parameter "acces-key"/],
      [['sets', 'add', 'x', '--root', '.', '--redirect', 'presigned'], 2, /goes with a root on S3/],
      [['sets', 'add', 'x', '--root', root(), '--redirect-expiry', '5m'], 2, /goes with --redirect presigned/],
      [['sets', 'add', 'x', '--root', `${root()}&anonymous=true`, '--redirect', 'presigned'], 2, /needs credentials/],
    ];
    for (const [args, code, message] of wrong) {
      const { exitCode, stdout, stderr } = await run(...args);
      assert.deepEqual([exitCode, stdout], [code, '']);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /secretsecret/);
    }
  });

  it('that denies access, or is not there, is told with what to do', async () => {
    await done('sets', 'add', 'maps', '--root', root());
    await done('sets', 'add', 'missing', '--root', rootOf(s3, `${bucket.name}-not`));
    await done('sets', 'add', 'public', '--root', `${root()}&anonymous=true`);
    const { accessKeyId } = s3.keys;
    // Keys are looked for in the environment of the process.
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: 'wrongwrong' };
    const told = [
      [await place.runProcess(['scan', 'maps'], { env }), /does not accept the credentials .*: check key and secret/],
      [await run('scan', 'missing'), /is not there: .* has no bucket/],
      [await run('scan', 'public'), /denies access .*: allow s3:ListBucket/],
    ] as const;
    for (const [{ exitCode, stdout, stderr }, message] of told) {
      assert.equal(exitCode, 3);
      assert.match(stderr, message);
      assert.ok(!`${stdout}${stderr}`.includes(accessKeyId), stderr);
      assert.doesNotMatch(`${stdout}${stderr}`, /wrongwrong/);
    }
  });
});
