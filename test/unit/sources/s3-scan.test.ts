import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { verify } from '../../../src/backup/verify/verify.ts';
import type { HashAlgorithm } from '../../../src/core/hash.ts';
import type { ContentRoot } from '../../../src/sources/content-root.ts';
import { collect } from '../../support/builders.ts';
import { FaultProxy } from '../../support/fault-proxy.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../../support/s3.ts';
import { isList } from '../../support/s3-refusal.ts';
import { openScannedSet, type ScannedSet, type ScanOptions, scan } from '../../support/scanned-set.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a scan of a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const folder = useTempFolder();
  let proxy: FaultProxy;
  let scanned: ScannedSet | undefined;

  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
  });
  afterEach(async () => {
    await scanned?.close();
    scanned = undefined;
    await proxy.close();
  });

  async function open(exclude: readonly string[] = [], hashes: readonly HashAlgorithm[] = []): Promise<ScannedSet> {
    scanned = await openScannedSet(folder, exclude, { root: rootOf({ endpoint: proxy.url }, bucket.name), hashes });
    return scanned;
  }

  const put = (...object: Parameters<typeof bucket.put>) => bucket.put(...object);

  async function putInParts(Key: string, parts: readonly string[]): Promise<void> {
    const { client, name: Bucket } = bucket;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const Parts = [];
    for (const [at, Body] of parts.entries()) {
      const PartNumber = at + 1;
      const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
    }
    await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
  }

  async function run(options: Partial<ScanOptions> = {}) {
    proxy.asked.length = 0;
    const { files, hashed, created, updated, deleted, unchanged, problems } = await scan({ ...scanned!, ...options });
    const reads = proxy.asked.filter(
      (asked) => asked.method === 'GET' && !isList(asked) && !asked.path.includes('ignore'),
    );
    const heads = proxy.asked.filter(({ method }) => method === 'HEAD');
    const counts = `${files} files: ${hashed} hashed, +${created} ~${updated} -${deleted} =${unchanged}`;
    return { counts, heads: heads.length, reads: reads.length, problems };
  }

  const stateOf = async (path: string) => (await scanned!.resources()).get(path)?.state;

  it('asks for what changed, and reads nothing of objects whose MD5 is known', async () => {
    await open();
    for (const path of ['a', 'b', 'c']) await put(path);
    assert.deepEqual(await run(), { counts: '3 files: 3 hashed, +3 ~0 -0 =0', heads: 3, reads: 0, problems: [] });
    assert.deepEqual((await stateOf('a'))?.hashes, { md5: md5('a') });

    assert.deepEqual(await run(), { counts: '3 files: 0 hashed, +0 ~0 -0 =3', heads: 0, reads: 0, problems: [] });

    await put('b', 'B');
    await put('d');
    await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: 'c' }));
    assert.deepEqual(await run(), { counts: '3 files: 2 hashed, +1 ~1 -1 =1', heads: 2, reads: 0, problems: [] });
    assert.deepEqual((await stateOf('b'))?.hashes, { md5: md5('B') });
  });

  it('sees that an object was overwritten by bytes of the same length within the same second', async () => {
    await open();
    for (const content of ['one', 'two', 'six']) {
      await put('a', content);
      await run();
      assert.deepEqual((await stateOf('a'))?.hashes, { md5: md5(content) });
    }
  });

  it('publishes the sha-256 that an object was put with', async () => {
    await open();
    await put('a', 'x', { ChecksumAlgorithm: 'SHA256' });
    assert.equal((await run()).reads, 0);
    assert.deepEqual((await stateOf('a'))?.hashes, { 'sha-256': sha256('x'), md5: md5('x') });
  });

  it('reads an object once that was put in parts', async () => {
    const parts = ['a'.repeat(5 * 1024 * 1024), 'b'.repeat(1_000)];
    await open();
    await putInParts('large', parts);
    assert.equal((await run()).reads, 1);
    assert.deepEqual((await stateOf('large'))?.hashes, { 'sha-256': sha256(parts.join('')) });
    assert.deepEqual(await run(), { counts: '1 files: 0 hashed, +0 ~0 -0 =1', heads: 0, reads: 0, problems: [] });
  });

  it('reads objects for the hashes that the set publishes', async () => {
    await put('a', 'x');
    await put('b', 'y', { ChecksumAlgorithm: 'SHA256' });
    await open([], ['sha-256']);
    assert.equal((await run()).reads, 1);
    for (const [path, content] of [
      ['a', 'x'],
      ['b', 'y'],
    ] as const) {
      assert.deepEqual((await stateOf(path))?.hashes, { 'sha-256': sha256(content), md5: md5(content) });
    }
    assert.equal((await run()).heads, 0);
  });

  it('takes the type that an object was given, and else goes by its name', async () => {
    await open();
    await put('a.html', 'x', { ContentType: 'text/html; charset=utf-8' });
    await put('b.html', 'x');
    await put('c.html', 'x', { ContentType: 'application/octet-stream' });
    await put('d', 'x', { ContentType: 'nonsense' });
    await run();
    const types = [...(await scanned!.resources()).values()].map(({ state }) => state.mime);
    assert.deepEqual(types, ['text/html; charset=utf-8', 'text/html', 'text/html', 'application/octet-stream']);
  });

  it('leaves out what is excluded, by the set and by a list in the bucket', async () => {
    await open(['*.tmp', '/drafts/']);
    for (const path of ['a', 'a.tmp', 'drafts/b', 'x/drafts/c', 'old/d', 'x/old/e']) await put(path);
    await put('.tidemarkignore', 'old/\n');
    await run();
    assert.deepEqual([...(await scanned!.resources()).keys()], ['a', 'x/drafts/c']);

    await put('.tidemarkignore', '');
    await run();
    assert.deepEqual([...(await scanned!.resources()).keys()], ['a', 'old/d', 'x/drafts/c', 'x/old/e']);
  });

  it('leaves out folders that a console has made, and reports what cannot be published', async () => {
    await open();
    await put('folder/', '');
    await put('folder/a');
    await put('line\nbreak');
    const { counts, problems } = await run();
    assert.equal(counts, '1 files: 1 hashed, +1 ~0 -0 =0');
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['line\nbreak'],
    );
  });

  it('keeps to one prefix, also beside one that begins with its name', async () => {
    for (const path of ['maps/a', 'maps2/b', 'maps.txt', 'c']) await put(path);
    scanned = await openScannedSet(folder, [], { root: rootOf({ endpoint: proxy.url }, bucket.name, 'maps/') });
    await run();
    assert.deepEqual([...(await scanned.resources()).keys()], ['a']);
  });

  it('waits for its turn: an object that comes while a scan is under way is not deleted by it', async () => {
    await open();
    await put('a');
    await run();
    const { root } = scanned!;
    const slow: ContentRoot = {
      hashes: root.hashes,
      digestsAtOnce: root.digestsAtOnce,
      leavesOut: () => root.leavesOut(),
      isEmpty: () => root.isEmpty(),
      open: (path) => root.open(path),
      digest: (path) => root.digest(path),
      watch: (onChange, onProblem) => root.watch(onChange, onProblem),
      async *list() {
        const entries = await collect(root.list());
        await put('b');
        await new Promise((resolve) => setTimeout(resolve, 100));
        yield entries;
      },
    };
    const first = scan({ ...scanned!, root: slow });
    const second = scan({ ...scanned!, under: ['b'] });
    await Promise.all([first, second]);
    assert.deepEqual(await scanned!.history(), ['created a', 'created b']);
  });

  it('is verified against the bytes in the bucket', async () => {
    await open();
    for (const path of ['a', 'b']) await put(path);
    await run();
    const check = async () =>
      (await verify({ set: scanned!.set, index: scanned!.index, source: scanned!.source })).differences;
    assert.equal((await check()).total, 0);
    await put('b', 'B');
    assert.match((await check()).first[0]!.message, /differs in .*md5/);
  });
});
