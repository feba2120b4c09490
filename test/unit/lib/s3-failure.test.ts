import assert from 'node:assert/strict';
import { failureOf, isBucketMissing, reasonOf } from '../../../src/lib/s3/s3-failure.ts';
import { parseS3Location } from '../../../src/lib/s3/s3-location.ts';

describe('The reason of a failure of S3', () => {
  it('says whether the region is to be added to a location or corrected in it', () => {
    const reason = (location: string) =>
      reasonOf({ name: 'AuthorizationHeaderMalformed', status: 400 }, parseS3Location(location), '');
    assert.match(reason('s3://maps'), /in another region .*: add region=… to it$/);
    assert.match(reason('s3://maps?region=eu-west-1'), /in another region than eu-west-1 .*: correct its region=…$/);
  });

  it('says that a running process does not notice other keys', () => {
    const reason = (name: string) => reasonOf({ name, status: 403 }, parseS3Location('s3://maps'), '');
    assert.match(reason('SignatureDoesNotMatch'), /check key and secret; they are read once, at the start$/);
    assert.match(reason('ExpiredToken'), /get new ones, and start again with them$/);
  });

  it('takes a status of 404 for a missing bucket, with or without a code, but not for an unknown access key', () => {
    const isMissing = (name: string) =>
      isBucketMissing(failureOf(Object.assign(new Error(), { name, $metadata: { httpStatusCode: 404 } })));
    assert.deepEqual(['NoSuchBucket', 'NotFound', 'XAdminUserNotFound'].map(isMissing), [true, true, false]);
  });

  it('says that an upload was aborted, and not that its bucket is missing', () => {
    const failure = { name: 'NoSuchUpload', status: 404 };
    assert.equal(isBucketMissing(failure), false);
    assert.match(
      reasonOf(failure, parseS3Location('s3://maps'), ''),
      /\(404 NoSuchUpload\): it was aborted; try again$/,
    );
  });
});
