import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { CopyObjectCommand, DeleteObjectCommand, HeadObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { Resource } from '../../src/core/resource.ts';
import { openContents, openRoot } from '../../src/sources/open-contents.ts';
import type { RootLocation } from '../../src/sources/root-location.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { removeBucket, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { testContentRoot } from './content-root.ts';

describe('a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const prefix = 'some folder/é';
  const keyOf = (path: string) => `${prefix}/${path}`;

  testContentRoot('a bucket', () => {
    const { client, name: Bucket } = bucket;
    return {
      open: (exclude = [], hashes = []) =>
        openRoot({ root: rootOf(s3, Bucket, prefix), exclude, hashes, s3: { timeoutMs: 30_000, pollIntervalMs: 100 } }),
      write: (path, content) => bucket.put(keyOf(path), content),
      async timeOf(path) {
        const { LastModified } = await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(path) }));
        return BigInt(LastModified!.getTime()) * 1_000_000n;
      },
      async remove(path) {
        await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(path) }));
      },
      async move(from, to) {
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: keyOf(from) })) {
          for (const { Key } of Contents) {
            const CopySource = `${Bucket}/${Key!.split('/').map(encodeURIComponent).join('/')}`;
            const target = Key!.replace(keyOf(from), keyOf(to));
            await client.send(new CopyObjectCommand({ Bucket, CopySource, Key: target }));
            await client.send(new DeleteObjectCommand({ Bucket, Key: Key! }));
          }
        }
      },
      vanish: () => removeBucket(client, Bucket),
    };
  });

  it('has URLs that are signed by the clock of its server, when that of this machine is wrong', async () => {
    await bucket.put(keyOf('a.txt'), 'text');
    mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 });
    try {
      const root = openRoot({ root: rootOf(s3, bucket.name, prefix), exclude: [] });
      const url = await root.presign!('a.txt', { method: 'GET', expires: 900 });
      assert.equal(await (await fetch(url)).text(), 'text');
      root.close?.();
    } finally {
      mock.timers.reset();
    }
  });

  describe('that a server keeps connections to', () => {
    let proxy: FaultProxy;
    beforeEach(async () => {
      proxy = await FaultProxy.start(s3.endpoint);
      proxy.on(
        () => true,
        async (execute) => {
          const { headers, ...answer } = await execute();
          return { ...answer, headers: { ...headers, connection: 'keep-alive' } };
        },
      );
      await bucket.put(keyOf('a.txt'), 'text');
    });
    afterEach(() => proxy.close());

    const location = (): RootLocation => ({
      root: rootOf({ endpoint: proxy.url }, bucket.name, prefix),
      exclude: [],
    });
    const requireClosed = () => until('all connections are closed', async () => (await proxy.openConnections()) === 0);

    it('has none open any more when it is closed', async () => {
      const root = openRoot(location());
      await root.digest('a.txt');
      assert.ok((await proxy.openConnections()) > 0);
      root.close?.();
      await requireClosed();
    });

    it('has none open any more when its bytes were packed', async () => {
      const contents = await openContents({ kind: 'files', root: location() });
      const content = await contents.open({ key: '/a.txt' } as Resource);
      assert.equal(await text(content!.stream()), 'text');
      assert.ok((await proxy.openConnections()) > 0);
      await contents.close();
      await requireClosed();
    });
  });
});
