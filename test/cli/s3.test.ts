import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { openApp } from '../../src/app.ts';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { environmentOf, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { testConfiguration } from '../support/start-app.ts';
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
    const published = place.startProcess(args, { env: environmentOf(s3) });
    await published.says(/Published s3:.* as "some-maps": 3 files/);
    await put('d');
    const api = `http://127.0.0.1:${port}/api/sets/some-maps`;
    await until('d', async () => (await askJson(api)).body.resources === 4);
    published.signal('SIGINT');
    assert.equal(await published.exit(), 0);

    const again = place.startProcess(args, { env: environmentOf(s3) });
    await again.says(/Published s3:.* 4 files/);
    again.signal('SIGINT');
    assert.equal(await again.exit(), 0);
  });

  it('has each object named that its list has and that it does not have', async () => {
    // In the lists of versitygw it has another key.
    const Key = 'some maps/ctrl\u0001x';
    await bucket.put(Key);
    try {
      await done('sets', 'add', 'maps', '--root', root());
      const { exitCode, stdout, stderr } = await run('scan', 'maps');
      assert.equal(exitCode, 1);
      assert.match(stderr, /^ctrl\S+x: .*(the bucket lists it, and does not have it|control characters)/m);
      assert.match(stdout, /3 created, 0 updated, 0 deleted; 1 path could not be read or published\.$/m);
      assert.match((await run('verify', 'maps', '--root')).stdout, /^(extra: \S+ is in the bucket, and|unreadable)/m);
    } finally {
      await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key }));
    }
  });

  it('is refused with an error that says what to do, and that contains no keys', async () => {
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['sets', 'add', 'x', '--root', 's3://key:secretsecret@maps'], 2, /put credentials into the environment/],
      [['sets', 'add', 'x', '--root', `${root()}&acces-key=secretsecret`], 2, /unknown parameter "acces-key"/],
      [['sets', 'add', 'x', '--root', '.', '--redirect', 'presigned'], 2, /goes with a root on S3/],
      [['sets', 'add', 'x', '--root', root(), '--redirect-expiry', '5m'], 2, /goes with --redirect presigned/],
      [['sets', 'add', 'x', '--root', `${root()}&anonymous=true`, '--redirect', 'presigned'], 2, /needs credentials/],
      [
        ['sets', 'add', 'x', '--root', rootOf(s3, 'no-such-bucket', 'maps')],
        2,
        /has no bucket no-such-bucket: make it first, or correct its name\. The set was not added/,
      ],
      [
        ['sets', 'add', 'x', '--root', `${root()}&anonymous=true`],
        2,
        /denies access .*: allow s3:ListBucket .* was not/,
      ],
      [['sets', 'add', 'x', '--root', rootOf({ endpoint: 'http://127.0.0.1:1' }, 'maps')], 2, /cannot be reached/],
      [['sets', 'list'], 2, /there is no store/],
    ];
    for (const [args, code, message] of wrong) {
      const { exitCode, stdout, stderr } = await run(...args);
      assert.deepEqual([exitCode, stdout], [code, '']);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /secretsecret/);
    }
  });

  it('that denies access, or does not exist, is reported with what to do', async () => {
    await done('sets', 'add', 'maps', '--root', root());
    // As they are when a bucket is deleted, or not public any more.
    const app = await openApp(testConfiguration(join(place.folder, 'data'), { store: place.store.location }));
    const missing = rootOf(s3, `${bucket.name}-not`);
    await app.sets.add({ slug: 'missing', origin: { kind: 's3', location: missing } });
    await app.sets.add({ slug: 'public', origin: { kind: 's3', location: `${root()}&anonymous=true` } });
    await app.close();
    const { accessKeyId } = s3.keys;
    // Keys are looked for in the environment of the process.
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: 'wrongwrong' };
    const outcomes = [
      [await place.runProcess(['scan', 'maps'], { env }), /does not accept the credentials .*: check key and secret/],
      [await run('scan', 'missing'), /does not exist: .* has no bucket/],
      [await run('scan', 'public'), /denies access .*: allow s3:ListBucket/],
    ] as const;
    for (const [{ exitCode, stdout, stderr }, message] of outcomes) {
      assert.equal(exitCode, 3);
      assert.match(stderr, message);
      assert.ok(!`${stdout}${stderr}`.includes(accessKeyId), stderr);
      assert.doesNotMatch(`${stdout}${stderr}`, /wrongwrong/);
    }
  });

  it('whose server does not know the access key is not reported as missing, and loses nothing', async () => {
    await done('sets', 'add', 'maps', '--root', root());
    await done('scan', 'maps');
    // versitygw answers this with 404.
    const env = { AWS_ACCESS_KEY_ID: 'unknown', AWS_SECRET_ACCESS_KEY: 'wrongwrong' };
    const artifacts = rootOf(s3, bucket.name, 'ingest');
    for (const [args, code, said] of [
      [['scan', 'maps'], 3, /cannot be read: \S+ does not accept the credentials .*: check key and secret/],
      [['sets', 'add', 'more', '--root', root()], 2, /does not accept the credentials .* The set was not added/],
      [['artifacts', 'list', '--artifacts', artifacts], 3, /cannot be used: \S+ does not accept the credentials/],
    ] as const) {
      const { exitCode, stderr } = await place.runProcess(args, { env });
      assert.match(stderr, said);
      assert.equal(exitCode, code);
    }
    assert.match(await done('scan', 'maps'), /0 created, 0 updated, 0 deleted/);
  });
});
