import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { s3Place } from '../../src/client/mirror/target/s3/s3-place.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
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
});
