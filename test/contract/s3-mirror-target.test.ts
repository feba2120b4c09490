import assert from 'node:assert/strict';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { MirrorState } from '../../src/client/mirror/state/mirror-state.ts';
import type { MirrorTarget } from '../../src/client/mirror/target/mirror-target.ts';
import { s3Place } from '../../src/client/mirror/target/s3/s3-place.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { type Asked, FaultProxy } from '../support/fault-proxy.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { refuseWith } from '../support/s3-refusal.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testMirrorTarget } from './mirror-target.ts';

describe('a bucket as the target of a mirror', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const prefix = 'some folder/é/';

  testMirrorTarget(() => {
    const { client, name: Bucket } = bucket;
    const location = parseS3Location(rootOf(s3, Bucket, prefix), 'mirror');
    return {
      place: (stateFolder) => s3Place(location, { stateFolder, settings: { timeoutMs: 30_000 } }),
      write: (path, text) => bucket.put(prefix + path, text),
      files: () => bucket.files(prefix),
      async leftovers() {
        const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
        return Uploads.map(({ Key }) => Key!);
      },
    };
  });

  describe('limits', () => {
    const folder = useTempFolder();
    let proxy: FaultProxy;
    let target: MirrorTarget;
    let state: MirrorState;
    beforeEach(async () => {
      proxy = await FaultProxy.start(s3.endpoint);
      const location = parseS3Location(rootOf({ endpoint: proxy.url }, bucket.name, prefix), 'mirror');
      const place = s3Place(location, { stateFolder: folder.path, settings: { timeoutMs: 30_000 } });
      state = new MirrorState(folder.at('state.db'));
      target = await place.open({ state, own: folder.path, adopts: false, source: 'http://example.org/' });
    });
    afterEach(async () => {
      await target.close();
      state.close();
      await proxy.close();
    });

    it('keys to what the server takes: S3 refuses one of more than 1,024 bytes, and it alone is rejected', async () => {
      const keyOf = (path: string) => decodeURIComponent(path.replace(/\?.*/, '')).replace(`/${bucket.name}/`, '');
      const isLong = ({ method, path }: Asked) => method === 'PUT' && Buffer.byteLength(keyOf(path)) > 1_024;
      proxy.on(isLong, refuseWith(400, 'KeyTooLongError'));
      const pathOf = (bytes: number) =>
        `${'folder/'.repeat(130)}${'n'.repeat(bytes - 910 - Buffer.byteLength(prefix))}`;
      const [longest, longer] = [pathOf(1_024), pathOf(1_025)];
      const staged = [longest, longer, 'a'].map(async (path) => {
        const file = target.begin(path, 1);
        await file.write(Buffer.from('a'));
        return { path, staged: await file.finish() };
      });
      const [rejected, ...others] = await target.publish(await Promise.all(staged));
      assert.deepEqual([rejected?.path, others], [longer, []]);
      assert.match(rejected!.reason, /does not take it \(400 KeyTooLongError\)/);
      assert.deepEqual(Object.keys(await bucket.files(prefix)).sort(), ['a', longest]);
    });

    it('parts to 8 MB, or a ten-thousandth of a long file', async () => {
      const bytes = Buffer.alloc(9 * 1024 * 1024);
      for (const [length, parts] of [
        [bytes.length, 1],
        [100 * 1024 ** 3, 0],
      ] as const) {
        const file = target.begin('long', length);
        await file.write(bytes);
        const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
        assert.equal(Uploads.length, parts, String(length));
        await file.discard();
      }
    });
  });
});
