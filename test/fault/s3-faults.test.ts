import assert from 'node:assert/strict';
import { DeleteObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import { isTidemarkError } from '../../src/core/errors.ts';
import { FileSource } from '../../src/sources/files/file-source.ts';
import { openRoot } from '../../src/sources/open-contents.ts';
import { SyncLoop } from '../../src/sources/sync/sync-loop.ts';
import { cutInTheMiddle, type Fault, FaultProxy, saySilence } from '../support/fault-proxy.ts';
import { removeBucket, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { isList, refuseWith } from '../support/s3-refusal.ts';
import { openScannedSet, type ScannedSet, scan } from '../support/scanned-set.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const FILES = 30;

/** What a server does to each list, and what the reported error says. */
const LIST_FAULTS: readonly {
  readonly title: string;
  readonly fault: Fault;
  readonly says: RegExp;
  /** Milliseconds of a request, where it is not to be answered. */
  readonly timeout?: number;
}[] = [
  {
    title: 'denies access',
    fault: refuseWith(403, 'AccessDenied'),
    says: /denies access \(403 AccessDenied\): allow s3:ListBucket/,
  },
  {
    title: 'does not know the key',
    fault: refuseWith(403, 'InvalidAccessKeyId'),
    says: /does not accept the credentials/,
  },
  { title: 'finds the keys expired', fault: refuseWith(400, 'ExpiredToken'), says: /have expired/ },
  { title: 'is in another region', fault: refuseWith(301, 'PermanentRedirect'), says: /another region .*region=/ },
  { title: 'asks to slow down', fault: refuseWith(503, 'SlowDown'), says: /asks to slow down \(503 SlowDown\)/ },
  { title: 'fails', fault: refuseWith(500, 'InternalError'), says: /failed \(500 InternalError\)/ },
  { title: 'says nothing', fault: saySilence, says: /does not answer in time/, timeout: 1_000 },
  { title: 'cuts its answers off', fault: cutInTheMiddle, says: /cannot be reached|part of a list/ },
  {
    title: 'cuts its answers off as if they were whole',
    fault: endInTheMiddle,
    says: /part of a list|not one of S3's/,
  },
  { title: 'lists a part only', fault: leaveOut(/<Contents>.*?<\/Contents>/s), says: /part of a list/ },
  {
    title: 'does not say whether its list goes on',
    fault: leaveOut(/<IsTruncated>.*?<\/IsTruncated>/),
    says: /part of a list/,
  },
  { title: 'answers with a page', fault: answerPage, says: /part of a list|not one of S3's/ },
];

describe('A root on S3', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const folder = useTempFolder();
  let proxy: FaultProxy;
  let scanned: ScannedSet;
  let loop: SyncLoop | undefined;
  let events: string[];

  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
    scanned = await openScannedSet(folder, [], {
      root: place(),
      s3: settings(),
    });
    events = [];
    await Promise.all(Array.from({ length: FILES }, (_, at) => put(`f${at}`)));
    await scan(scanned);
  });
  afterEach(async () => {
    await loop?.stop();
    loop = undefined;
    await scanned.close();
    await proxy.close();
  });

  const put = (path: string, content = path) => bucket.put(`files/${path}`, content);

  const place = () => rootOf({ endpoint: proxy.url }, bucket.name, 'files');
  const settings = (timeoutMs = 60_000) => ({ timeoutMs, pollIntervalMs: 100, attempts: 2 });

  function keep(timeout?: number): void {
    const root = timeout === undefined ? scanned.root : openRoot({ root: place(), exclude: [], s3: settings(timeout) });
    loop = new SyncLoop({
      ...scanned,
      source: new FileSource({ ...scanned, root }),
      retryDelayMs: 50,
      events: { onTrouble: ({ message }) => events.push(message), onRecovered: () => events.push('recovered') },
    });
    loop.start();
  }

  const count = async (): Promise<number> => (await scanned.resources()).size;

  for (const { title, fault, says, timeout } of LIST_FAULTS) {
    it(`deletes nothing while the server ${title}, says so, and goes on by itself`, async () => {
      keep(timeout);
      await loop!.firstSync;
      const broken = proxy.on(isList, fault);
      const trouble = await until('trouble', async () => events.at(-1) !== 'recovered' && events.at(-1));
      assert.match(trouble, says);
      assert.match(trouble, new RegExp(`s3://${bucket.name}/files`));
      // Not before: a list that was asked for earlier could have it.
      await put('new');
      const { met } = broken;
      await until('it is asked for lists again', async () => broken.met > met + 2);
      assert.equal(await count(), FILES);
      broken.remove();
      await until('it goes on', async () => events.at(-1) === 'recovered' && (await count()) === FILES + 1);
      assert.deepEqual(
        (await scanned.history()).filter((line) => line.startsWith('deleted')),
        [],
      );
      assertNoKeys(events.join());
    });
  }

  it('asks again by itself when a server fails once', async () => {
    let times = 0;
    proxy.on((asked) => isList(asked) && times++ === 0, refuseWith(503, 'SlowDown'));
    await put('new');
    assert.equal((await scan(scanned)).created, 1);
  });

  it('deletes nothing when its bucket vanishes in the middle of a list', async () => {
    await put('new');
    // There is more, it says; and when that is asked for, the bucket was deleted.
    const isLater = (path: string) => path.includes('continuation-token');
    proxy.on((asked) => isList(asked) && isLater(asked.path), refuseWith(404, 'NoSuchBucket'));
    proxy.on((asked) => isList(asked) && !isLater(asked.path), sayThereIsMore);

    await assert.rejects(
      scan(scanned),
      (error) => isTidemarkError(error, 'unavailable') && /no bucket/.test(error.message),
    );
    assert.equal(await count(), FILES);
    assert.equal((await scanned.history()).length, FILES);
  });

  it('deletes nothing when its bucket vanishes', async () => {
    keep();
    await loop!.firstSync;
    // While it is being emptied, a list would have some of it.
    const gone = Promise.withResolvers<void>();
    const lists = proxy.on(isList, (execute) => gone.promise.then(execute));
    await until('one waits for that', async () => lists.met > 0);
    await removeBucket(bucket.client, bucket.name);
    gone.resolve();
    const trouble = await until('trouble', async () => events.find((message) => /no bucket/.test(message)));
    assert.match(trouble, /does not exist: .* has no bucket .*nothing is deleted meanwhile/);
    assert.equal(await count(), FILES);
  });

  it('deletes nothing when its bucket is empty suddenly, until an operator confirms it', async () => {
    keep();
    await loop!.firstSync;
    await removeBucket(bucket.client, bucket.name, { keepBucket: true });
    const trouble = await until('trouble', async () => events[0]);
    assert.match(
      trouble,
      /is empty, or all of it is left out, and the set has resources of it \(\d+\): nothing is deleted/,
    );
    assert.ok((await count()) > 0);
    await loop!.stop();
    await scan(scanned);
    assert.equal(await count(), 0);
  });

  it('leaves an object as it was that may not be read, and publishes the others', async () => {
    await put('f1', 'changed');
    await put('f2', 'changed');
    proxy.on(({ path, method }) => method === 'HEAD' && path.includes('/f1'), refuseWith(403, 'AccessDenied'));
    const { updated, deleted, problems } = await scan(scanned);
    assert.deepEqual([updated, deleted], [1, 0]);
    assert.deepEqual(
      problems.map(({ path }) => path),
      ['f1'],
    );
    assert.match(problems[0]!.problem, /access is denied: allow s3:GetObject/);
  });

  it('is reported by its name when it may be listed, and not read', async () => {
    proxy.on(({ path }) => path.includes('/.tidemarkignore'), refuseWith(403, 'AccessDenied'));
    await assert.rejects(scan(scanned), ({ message }: Error) => {
      assert.ok(message.startsWith(`the root s3://${bucket.name}/files cannot be read: `), message);
      assert.match(message, /denies access \(403 AccessDenied\): allow s3:ListBucket .* s3:GetObject on its objects/);
      return true;
    });
  });

  it('names an object that is listed and missing, and leaves one that was deleted meanwhile', async () => {
    for (const path of ['listed', 'listed\ufffd', 'deleted']) await put(path);
    proxy.on(({ path, method }) => method === 'HEAD' && path.includes('/listed'), refuseWith(404, 'NotFound'));
    proxy.on(
      ({ path, method }) => method === 'HEAD' && path.includes('/deleted'),
      async (execute) => {
        await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: 'files/deleted' }));
        return execute();
      },
    );
    const { created, left, problems } = await scan(scanned);
    assert.deepEqual([created, left], [0, 1]);
    assert.deepEqual(problems.map(({ path }) => path).sort(), ['listed', 'listed\ufffd']);
    for (const { problem } of problems) assert.match(problem, /the bucket lists it, and does not have it/);
  });

  it('goes on where the bytes of an object were cut off', async () => {
    const content = Array.from({ length: 100_000 }, (_, at) => String(at)).join(' ');
    await put('large', content);
    let times = 0;
    const cut = proxy.on(
      ({ method, path }) => method === 'GET' && path.includes('/large') && times++ < 2,
      cutInTheMiddle,
    );

    const file = await scanned.root.open('large');
    assert.equal(Buffer.concat(await file.stream().toArray()).toString(), content);
    assert.equal(cut.met, 2);
  });

  it('hands out no mixture of an object that is overwritten while its bytes are cut off', async () => {
    await put('large', 'a'.repeat(500_000));
    const file = await scanned.root.open('large');
    proxy.on(
      ({ method, path }) => method === 'GET' && path.includes('/large'),
      async (execute, asked) => {
        const cut = await cutInTheMiddle(execute, asked);
        await put('large', 'b'.repeat(500_000));
        return cut;
      },
    );
    await assert.rejects(file.stream().toArray(), (error) => isTidemarkError(error, 'conflict'));
  });

  it('hands out no mixture by a server that knows no conditions', async () => {
    await put('a', 'old');
    const file = await scanned.root.open('a');
    await put('a', 'new');
    proxy.on(({ method, path }) => method === 'GET' && path.includes('/a'), sendWhole);
    await assert.rejects(file.stream().toArray(), (error) => isTidemarkError(error, 'conflict'));
  });

  it('takes no bytes of another range than it asked for', async () => {
    await put('a', '0123456789');
    const file = await scanned.root.open('a');
    proxy.on(({ method, path }) => method === 'GET' && path.includes('/a'), sendWhole);
    const isBroken = (error: unknown) => isTidemarkError(error, 'unavailable') && /range/.test(error.message);
    await assert.rejects(file.stream({ start: 2, end: 4 }).toArray(), isBroken);
  });

  function assertNoKeys(text: string): void {
    assert.ok(!text.includes(s3.keys.accessKeyId) && !text.includes(s3.keys.secretAccessKey), text);
  }

  /** A server that knows neither conditions nor ranges sends what it has. */
  const sendWhole: Fault = async () => {
    const got = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'files/a' }));
    const headers = { etag: got.ETag!, 'last-modified': got.LastModified!.toUTCString() };
    return { status: 200, headers, body: Buffer.from(await got.Body!.transformToByteArray()) };
  };
});

async function endInTheMiddle(...[execute]: Parameters<Fault>) {
  const answer = await execute();
  return { ...answer, body: answer.body.subarray(0, Math.floor(answer.body.length / 2)) };
}

function leaveOut(part: RegExp): Fault {
  return async (execute) => {
    const answer = await execute();
    return { ...answer, body: Buffer.from(answer.body.toString().replace(part, '')) };
  };
}

const sayThereIsMore: Fault = async (execute) => {
  const answer = await execute();
  const half = answer.body
    .toString()
    .replace(/<Contents>.*?<\/Contents>/s, '')
    .replace(/<KeyCount>(\d+)/, (_, count) => `<KeyCount>${count - 1}`);
  const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>';
  return { ...answer, body: Buffer.from(half.replace('<IsTruncated>false</IsTruncated>', more)) };
};

async function answerPage() {
  const body = Buffer.from('<!doctype html><html><head><title>Welcome</title></head><body><p>Sign in</body></html>');
  return { status: 200, headers: { 'content-type': 'text/html' }, body };
}
