import assert from 'node:assert/strict';
import { notifiedPaths, s3EventsSchema } from '../../../src/http/routes/s3-events.ts';

const ROOT = { bucket: 'maps', prefix: 'a b/' };

const read = (body: unknown) => notifiedPaths(s3EventsSchema.parse(body), ROOT);
const record = (key: string, bucket = 'maps') => ({
  eventVersion: '2.1',
  eventName: 'ObjectCreated:Put',
  s3: { bucket: { name: bucket, arn: `arn:aws:s3:::${bucket}` }, object: { key, size: 1, sequencer: '0055' } },
});

describe('the notifications of S3 servers', () => {
  it('name objects below the prefix of a root, each once', () => {
    const Records = [record('a+b/x.txt'), record('a%20b/x.txt'), record('a+b/deep/y'), record('a+b/x.txt')];
    assert.deepEqual(read({ Records }), { paths: ['x.txt', 'deep/y'], taken: 4, ignored: 0 });
  });

  it('name nothing by other buckets, other prefixes, folders, and names that cannot be published', () => {
    const Records = [
      record('a+b/x', 'other'),
      record('a+c/x'),
      record('a+b'),
      record('a+b/'),
      record('a+b/folder/'),
      record('a+b/a%0Ab'),
      record('a+b/x//y'),
      record('a+b/../x'),
      record('a+b/\ud800'),
      record(`a+b/${'x'.repeat(1_100)}`),
      { eventName: 'ObjectCreated:Put' },
      {},
    ];
    assert.deepEqual(read({ Records }), { paths: [], taken: 0, ignored: Records.length });
  });

  it('may mean a key as it is, or encoded: both are checked', () => {
    const Records = [record('a b/1+1=2 100%.txt'), record('a%20b/%C3%A9'), record('a b/%zz')];
    assert.deepEqual(read({ Records }).paths, ['1+1=2 100%.txt', 'é', '%zz']);
    assert.deepEqual(read({ Records: [record('a b/1+1')] }).paths, ['1+1', '1 1']);
  });

  it('come from MinIO with fields of its own', () => {
    const body = { EventName: 's3:ObjectRemoved:Delete', Key: 'maps/a b/x', Records: [record('a+b%2Fx')] };
    assert.deepEqual(read(body).paths, ['x']);
  });

  it('come through EventBridge, with keys as they are', () => {
    const detail = { bucket: { name: 'maps' }, object: { key: 'a b/x y', etag: 'e' }, reason: 'PutObject' };
    const body = { version: '0', source: 'aws.s3', 'detail-type': 'Object Created', detail };
    assert.deepEqual(read(body), { paths: ['x y'], taken: 1, ignored: 0 });
  });

  it('come in the envelope of SNS', () => {
    const Message = JSON.stringify({ Records: [record('a+b/x')] });
    assert.deepEqual(read({ Type: 'Notification', MessageId: '1', Message }).paths, ['x']);
    assert.deepEqual(read({ Type: 'Notification', Message: 'hello' }), { paths: [], taken: 0, ignored: 1 });
    const nested = JSON.stringify({ Type: 'Notification', Message });
    assert.deepEqual(read({ Type: 'Notification', Message: nested }), { paths: [], taken: 0, ignored: 1 });
  });

  it('name nothing when they only test the endpoint', () => {
    const body = { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'maps' };
    assert.deepEqual(read(body), { paths: [], taken: 0, ignored: 0 });
    assert.deepEqual(read({ Records: [] }), { paths: [], taken: 0, ignored: 0 });
  });

  it('are refused when they are something else', () => {
    for (const body of [
      {},
      [],
      'x',
      null,
      { Records: 'x' },
      { Records: [{ s3: 1 }] },
      { source: 'aws.ec2', detail: {} },
    ]) {
      assert.equal(s3EventsSchema.safeParse(body).success, false, JSON.stringify(body));
    }
  });
});
