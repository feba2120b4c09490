import assert from 'node:assert/strict';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { BLOCK_BYTES } from '../../src/artifacts/blocks.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { Bucket } from '../../src/lib/s3/bucket.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { WriteRequests } from '../../src/lib/s3/write-requests.ts';
import { collect } from '../support/builders.ts';
import { type Asked, cutInTheMiddle, type Fault, FaultProxy, saySilence } from '../support/fault-proxy.ts';
import { removeBucket, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { isList, refuseWith, s3Refusal } from '../support/s3-refusal.ts';

const KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const SMALL = [Buffer.from('some bytes')];
/** Two parts. */
const LARGE = Array.from({ length: 9 }, () => Buffer.alloc(1024 * 1024, 'x'));

/** What a server does, and what the error says. */
const FAULTS: readonly { readonly title: string; readonly fault: Fault; readonly says: RegExp }[] = [
  {
    title: 'denies',
    fault: refuseWith(403, 'AccessDenied'),
    says: /denies access \(403 AccessDenied\): allow s3:ListB/,
  },
  { title: 'does not know the key', fault: refuseWith(403, 'InvalidAccessKeyId'), says: /not accept the credentials/ },
  { title: 'throttles', fault: refuseWith(503, 'SlowDown'), says: /asks to slow down \(503 SlowDown\)/ },
  { title: 'fails', fault: refuseWith(500, 'InternalError'), says: /failed \(500 InternalError\)/ },
  { title: 'has lost its bucket', fault: refuseWith(404, 'NoSuchBucket'), says: /does not exist: .* has no bucket/ },
  { title: 'hangs up', fault: async () => ({ cutAfter: 0 }), says: /cannot be reached \(ECONNRESET|does not answer/ },
];
/** Throttling, and a bucket that was deleted. */
const SOME = [FAULTS[2]!.fault, FAULTS[4]!.fault];
const SILENCE = { title: 'times out', fault: saySilence, says: /does not answer in time/ };

/** The server does it, and its answer never comes. */
const loseAnswer: Fault = async (execute) => {
  await execute();
  return { cutAfter: 0 };
};

const cutSoon: Fault = async (execute) => ({ answer: await execute(), cutAfter: 0 });

const endInTheMiddle: Fault = async (execute) => {
  const answer = await execute();
  return { ...answer, body: answer.body.subarray(0, answer.body.length / 2) };
};

type Matches = (asked: Asked) => boolean;
const isObject: Matches = (asked) => !isList(asked) && asked.path.includes(KEY);
const isPut: Matches = (asked) => asked.method === 'PUT' && isObject(asked) && !asked.path.includes('partNumber');
const isBegin: Matches = (asked) => asked.method === 'POST' && isObject(asked) && asked.path.includes('uploads');
const isPart: Matches = (asked) => asked.method === 'PUT' && isObject(asked) && asked.path.includes('partNumber=2');
const isComplete: Matches = (asked) => asked.method === 'POST' && isObject(asked) && asked.path.includes('uploadId');
const isGet: Matches = (asked) => asked.method === 'GET' && isObject(asked);
const isProbe: Matches = ({ method, path }) => method === 'PUT' && path.includes('/.probe-');

/** Each kind of request, and what meets it. */
const REQUESTS: readonly {
  readonly name: string;
  readonly matches: Matches;
  readonly use: 'small' | 'large' | 'get' | 'list';
}[] = [
  { name: 'an object', matches: isPut, use: 'small' },
  { name: 'the probe of its conditions', matches: isProbe, use: 'small' },
  { name: 'the beginning of an upload', matches: isBegin, use: 'large' },
  { name: 'a part', matches: isPart, use: 'large' },
  { name: 'the end of an upload', matches: isComplete, use: 'large' },
  { name: 'what is read', matches: isGet, use: 'get' },
  { name: 'a list', matches: isList, use: 'list' },
];

describe('an artifact store on an S3 server that fails', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  let proxy: FaultProxy;
  let store: ArtifactStore;
  let direct: ArtifactStore;

  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
    store = open({ endpoint: proxy.url });
    direct = open(s3);
  });
  afterEach(async () => {
    await store.close();
    await direct.close();
    await proxy.close();
  });

  function open(at: { readonly endpoint: string }, { timeoutMs = 60_000, attempts = 1 } = {}): ArtifactStore {
    const place = parseS3Location(rootOf(at, bucket.name, 'ingest'), 'artifacts');
    return openArtifacts({ kind: 's3', place, settings: { timeoutMs, attempts } });
  }

  const putting = { small: SMALL, large: LARGE };

  async function use(what: (typeof REQUESTS)[number]['use']): Promise<unknown> {
    if (what === 'small' || what === 'large') return store.put(KEY, putting[what]);
    if (what === 'get') return (await store.get(KEY)).body.toArray();
    return collect(store.list(''));
  }

  async function requireNothingLeft(): Promise<void> {
    assert.deepEqual(await collect(direct.list('')), []);
    assert.deepEqual(await openUploads(), []);
  }

  function bucketOf(): Bucket {
    return new Bucket(
      parseS3Location(rootOf(s3, bucket.name, 'ingest'), 'artifacts'),
      { timeoutMs: 60_000 },
      'artifacts',
    );
  }

  async function openUploads(): Promise<readonly unknown[]> {
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    return Uploads.map(({ UploadId }) => UploadId);
  }

  for (const { name, matches, use: what } of REQUESTS) {
    const does = what === 'large' ? 'throttles or vanishes' : 'denies, throttles, fails, hangs up or vanishes';
    it(`reports what is wrong when the server ${does} at ${name}, and leaves nothing`, async () => {
      if (what === 'get') await direct.put(KEY, SMALL);
      // An upload takes a while, and its requests report the same error.
      const faults = what === 'large' ? FAULTS.filter(({ fault }) => SOME.includes(fault)) : FAULTS;
      for (const { title, fault, says } of faults) {
        const rule = proxy.on(matches, fault);
        await assert.rejects(
          use(what),
          (error) =>
            isTidemarkError(error, 'unavailable') && says.test(error.message) && !error.message.includes('Signature'),
          title,
        );
        assert.ok(rule.met > 0, title);
        rule.remove();
      }
      if (what !== 'get') await requireNothingLeft();
      await use(what);
    });
  }

  for (const { name, matches, use: what } of REQUESTS.filter((request) =>
    ['an object', 'what is read'].includes(request.name),
  )) {
    it(`reports that the server times out at ${name}`, async () => {
      if (what === 'get') await direct.put(KEY, SMALL);
      await store.close();
      store = open({ endpoint: proxy.url }, { timeoutMs: 700 });
      const rule = proxy.on(matches, SILENCE.fault);
      await assert.rejects(
        use(what),
        (error) => isTidemarkError(error, 'unavailable') && SILENCE.says.test(error.message),
      );
      rule.remove();
      if (what !== 'get') await requireNothingLeft();
    });
  }

  it('asks again by itself when the server fails once at each kind of request', async () => {
    await store.close();
    store = open({ endpoint: proxy.url }, { attempts: 3 });
    const met = REQUESTS.map(({ matches }) => {
      let times = 0;
      return proxy.on((asked) => matches(asked) && times++ === 0, refuseWith(503, 'SlowDown'));
    });
    const { length } = await store.put(KEY, LARGE);
    assert.equal(Buffer.concat(await (await store.get(KEY)).body.toArray()).length, length);
    await store.put(`${KEY}-small`, SMALL);
    for (const [at, rule] of met.entries()) if (REQUESTS[at]!.name !== 'an object') assert.equal(rule.met, 1);
  });

  for (const [name, matches, body] of [
    ['an object', isPut, SMALL],
    ['an upload', isComplete, LARGE],
  ] as const) {
    it(`finds out that it wrote ${name} when the answer is lost`, async () => {
      for (const fault of [loseAnswer, cutInTheMiddle]) {
        let times = 0;
        const rule = proxy.on((asked) => matches(asked) && times++ < 1, fault);
        const key = `${KEY}-${times}-${fault.name}`;
        const { length } = await store.put(key, body);
        assert.ok(rule.met > 0);
        rule.remove();
        assert.equal((await direct.head(key))?.length, length);
      }
      assert.deepEqual(await openUploads(), []);
    });
  }

  for (const [name, matches, body] of [
    ['an object', isPut, SMALL],
    ['an upload', isComplete, LARGE],
  ] as const) {
    it(`writes ${name} again when another request wrote it at the same time, and failed`, async () => {
      let times = 0;
      proxy.on((asked) => matches(asked) && times++ < 2, refuseWith(409, 'ConditionalRequestConflict'));

      const { length } = await store.put(KEY, body);

      assert.equal(times, 3);
      assert.equal((await direct.head(KEY))?.length, length);
    });

    it(`writes ${name} no more when another request wrote it at the same time`, async () => {
      let times = 0;
      proxy.on(
        (asked) => matches(asked) && times++ < 1,
        async () => {
          await direct.put(KEY, [Buffer.from('faster')]);
          return s3Refusal(409, 'ConditionalRequestConflict');
        },
      );
      await assert.rejects(store.put(KEY, body), (error) => isTidemarkError(error, 'conflict'));

      assert.equal((await direct.head(KEY))?.length, 6);
      assert.deepEqual(await openUploads(), []);
    });

    it(`says that another process writes ${name} when the server says so each time`, async () => {
      proxy.on(matches, refuseWith(409, 'ConditionalRequestConflict'));
      await assert.rejects(
        store.put(KEY, body),
        (error) => isTidemarkError(error, 'unavailable') && /being written .* by another process/.test(error.message),
      );
      await requireNothingLeft();
    });
  }

  /** Writes the object, whatever the condition says. */
  const ignoreCondition: Fault = async (_, { path }) => {
    await bucket.put(path.slice(path.indexOf('ingest/'), path.indexOf('?')), '');
    return { status: 200, headers: { etag: '"d41d8cd98f00b204e9800998ecf8427e"' }, body: Buffer.alloc(0) };
  };
  for (const [title, fault, most] of [
    ['refuses conditions', refuseWith(501, 'NotImplemented'), Number.POSITIVE_INFINITY],
    ['ignores conditions', ignoreCondition, Number.POSITIVE_INFINITY],
    ['lets two writers of the same time succeed', ignoreCondition, 2],
  ] as const) {
    it(`writes nothing into a bucket of a server that ${title}`, async () => {
      let times = 0;
      const rule = proxy.on((asked) => isProbe(asked) && times++ < most, fault);
      for (const body of [SMALL, LARGE]) {
        times = 0;
        await assert.rejects(
          store.put(KEY, body),
          (error) => isTidemarkError(error, 'unavailable') && /does not honour conditional writes/.test(error.message),
        );
      }
      await requireNothingLeft();
      const { KeyCount } = await bucket.client.send(new ListObjectsV2Command({ Bucket: bucket.name }));
      assert.equal(KeyCount, 0);
      rule.remove();
      await store.put(KEY, SMALL);
    });
  }

  it('asks whether the server knows conditions once, when it writes first', async () => {
    const isAnyProbe = (asked: Asked) => asked.path.includes('/.probe-');
    await collect(store.list(''));
    assert.equal(proxy.asked.filter(isAnyProbe).length, 0);
    await Promise.all(['a', 'b', 'c'].map((key) => store.put(key, SMALL)));
    const asked = proxy.asked.filter(isAnyProbe).length;
    await store.put('d', SMALL);
    assert.deepEqual([asked, proxy.asked.filter(isAnyProbe).length], [6, 6]);
  });

  it('goes on where what it reads was cut off', async () => {
    await direct.put(KEY, LARGE);
    let times = 0;
    const cut = proxy.on((asked) => isGet(asked) && times++ < 2, cutInTheMiddle);
    assert.ok(Buffer.concat(LARGE).equals(Buffer.concat(await (await store.get(KEY)).body.toArray())));
    assert.equal(cut.met, 2);
  });

  const part = { start: 100_000, length: 200_000 };
  for (const [title, fault, ranges] of [
    ['is cut off each time', cutSoon, [undefined]],
    ['ends too soon, as if it were whole, also in part', endInTheMiddle, [undefined, part]],
  ] as const) {
    it(`fails to read what ${title}`, async () => {
      await direct.put(KEY, LARGE.slice(0, 1));
      proxy.on(isGet, fault);
      for (const range of ranges) {
        await assert.rejects(
          async () => (await store.get(KEY, { range })).body.toArray(),
          (error) => isTidemarkError(error, 'unavailable'),
        );
      }
    });
  }

  it('reports that its bucket was deleted, which is not the same as empty', async () => {
    await direct.put(KEY, SMALL);
    await removeBucket(bucket.client, bucket.name);
    const isGone = (error: unknown) => isTidemarkError(error, 'unavailable') && /has no bucket/.test(error.message);
    await assert.rejects(collect(store.list('')), isGone);
    await assert.rejects(store.folders(''), isGone);
    await assert.rejects(store.head(KEY), isGone);
    await assert.rejects(store.get(KEY), isGone);
    await assert.rejects(store.put('a', SMALL), isGone);
    await assert.rejects(store.put('a', LARGE), isGone);
  });

  it('names the permission that it needs to find what killed processes left', async () => {
    proxy.on(({ method, path }) => method === 'GET' && /[?&]uploads\b/.test(path), refuseWith(403, 'AccessDenied'));
    await assert.rejects(store.removeUnfinished(Date.now()), /allow .*s3:ListBucketMultipartUploads on the bucket/);
  });

  it('counts an upload as removed that another process has just aborted', async () => {
    const requests = new WriteRequests(bucketOf());
    await requests.beginUpload({ path: KEY, contentType: undefined, id: 'x' });
    const isAbort: Matches = ({ method, path }) => method === 'DELETE' && path.includes('uploadId');
    proxy.on(isAbort, async (execute) => {
      await execute();
      return execute();
    });
    assert.equal(await store.removeUnfinished(Date.now() + 60_000), 1);
    assert.deepEqual(await openUploads(), []);
    requests.bucket.close();
  });

  it('lists nothing of an upload that a killed process left, and aborts it in time', async () => {
    const requests = new WriteRequests(bucketOf());
    const upload = await requests.beginUpload({ path: KEY, contentType: undefined, id: 'x' });
    const part = { path: KEY, UploadId: upload, at: 0, body: Buffer.alloc(BLOCK_BYTES) };
    await requests.uploadPart(part);

    assert.deepEqual(await collect(direct.list('')), []);
    await direct.put(KEY, SMALL);
    assert.equal((await openUploads()).length, 1, 'it may still be going on');
    assert.equal(await direct.removeUnfinished(Date.now() - 60_000), 0);
    assert.equal(await direct.removeUnfinished(Date.now() + 60_000), 1);
    assert.deepEqual(await openUploads(), []);
    requests.bucket.close();
  });
});
