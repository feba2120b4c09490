import { CreateBucketCommand, DeleteObjectCommand } from '@aws-sdk/client-s3';
import { pathOfKey } from '../../src/core/key.ts';
import { openContents } from '../../src/sources/open-contents.ts';
import { removeBucket, rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { openScannedSet, type ScannedSet } from '../support/scanned-set.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testContents, testOutsideSource, testSource } from './source.ts';

describe('the objects of a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const folder = useTempFolder();
  let opened: ScannedSet | undefined;
  afterEach(async () => {
    opened?.root.close?.();
    await opened?.close();
    opened = undefined;
  });

  async function place() {
    const { client, name: Bucket } = bucket;
    const root = rootOf(s3, Bucket, 'files');
    opened = await openScannedSet(folder, [], { root, s3: { timeoutMs: 30_000, pollIntervalMs: 100 } });
    const objects = new Map<string, string>();
    const remove = async (name: string) => {
      objects.delete(name);
      await client.send(new DeleteObjectCommand({ Bucket, Key: `files/${name}` }));
    };
    const write = async (name: string, content: string) => {
      objects.set(name, content);
      await bucket.put(`files/${name}`, content);
    };
    return {
      ...opened,
      ...{ write, remove },
      keyOf: (name: string) => `/${name}`,
      lose: ({ key }: { readonly key: string }) => remove(pathOfKey(key)!),
      vanish: () => removeBucket(client, Bucket),
      async comeBack() {
        await client.send(new CreateBucketCommand({ Bucket }));
        for (const [name, content] of objects) await write(name, content);
      },
      contents: () => openContents({ kind: 'files', root: { root, exclude: [] } }),
    };
  }
  testSource('a bucket', place);
  testOutsideSource('a bucket', place);
  testContents('a bucket', place);
});
