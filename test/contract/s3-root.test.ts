import { CopyObjectCommand, DeleteObjectCommand, HeadObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { openRoot } from '../../src/sources/open.ts';
import { removeBucket, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { testContentRoot } from './content-root.ts';

describe('a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const prefix = 'some folder/é';

  testContentRoot('a bucket', () => {
    const { client, name: Bucket } = bucket;
    const keyOf = (path: string) => `${prefix}/${path}`;
    return {
      open: (exclude = [], hashes = []) =>
        openRoot({ root: rootOf(s3, Bucket, prefix), exclude, hashes, s3: { timeout: 30_000, pollInterval: 100 } }),
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
});
