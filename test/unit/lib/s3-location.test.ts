import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { formatS3Location, isS3, parseS3Location } from '../../../src/lib/s3/s3-location.ts';

describe('a location on S3', () => {
  it('is a bucket of Amazon when nothing else is said', () => {
    assert.deepEqual(parseS3Location('s3://maps'), {
      bucket: 'maps',
      prefix: '',
      endpoint: undefined,
      publicEndpoint: undefined,
      region: undefined,
      pathStyle: false,
      anonymous: false,
      profile: undefined,
    });
  });

  it('names a prefix, a server, and how to reach it', () => {
    const text =
      's3://Old_Maps/a%20b/%C3%A9/?endpoint=https://s3.example.org:9000/&region=eu-west-1&path-style=false&profile=maps&public-endpoint=https://files.example.org';
    const location = parseS3Location(text);
    assert.deepEqual(location, {
      bucket: 'Old_Maps',
      prefix: 'a b/é/',
      endpoint: 'https://s3.example.org:9000',
      publicEndpoint: 'https://files.example.org',
      region: 'eu-west-1',
      pathStyle: false,
      anonymous: false,
      profile: 'maps',
    });
  });

  it('is written in one way, however it was given', () => {
    const same = [
      's3://maps/a b/é?region=x&endpoint=http://h:9000',
      'S3://maps/a%20b/%c3%a9/?endpoint=http%3A%2F%2FH%3A9000%2F&path-style=true&region=x&anonymous=false',
    ];
    for (const text of same) {
      assert.equal(formatS3Location(parseS3Location(text)), 's3://maps/a%20b/%C3%A9?endpoint=http://h:9000&region=x');
    }
    for (const text of ['s3://maps', 's3://maps/', 's3://maps?anonymous=false']) {
      assert.equal(formatS3Location(parseS3Location(text)), 's3://maps');
    }
    const others = [
      's3://maps?path-style=true',
      's3://maps?endpoint=http://h&path-style=false',
      's3://maps?anonymous=true',
    ];
    for (const text of others) assert.equal(formatS3Location(parseS3Location(text)), text);
  });

  it('distinguishes folders from buckets', () => {
    for (const text of ['s3://maps', 'S3://maps/x']) assert.ok(isS3(text));
    for (const text of ['/s3://maps', 's3:/maps', './s3', 'https://maps']) assert.ok(!isS3(text));
  });

  const WRONG: readonly (readonly [string, RegExp])[] = [
    ['s3://AKIAKEY:secretsecret@maps', /credentials into the environment/],
    ['s3://maps?aws_secret_access_key=secretsecret', /unknown parameter "aws_secret_access_key"/],
    ['s3://maps?endpoint=http://u:secretsecret@h', /without a user/],
    ['s3://maps?endpoint=ftp://h', /not a URL with http/],
    ['s3://maps?endpoint=http://h/%3Fx', /plain path/],
    ['s3://maps?endpoint=http://h&endpoint=http://i', /twice/],
    ['s3://maps?path-style=yes', /neither true nor false/],
    ['s3://maps?region=a%20b', /has a region that is none/],
    ['s3://ab', /3 to 63 letters/],
    ['s3://', /3 to 63 letters|no s3/],
    ['s3://maps:80', /3 to 63 letters/],
    ['s3://maps/a//b', /empty part/],
    ['s3://maps/a#b', /%23/],
    ['s3://maps/%ff', /not UTF-8/],
    ['s3://maps/%2e%2e%2fb', /empty part, "\."/],
  ];
  for (const [text, message] of WRONG) {
    it(`is refused as ${text.replace('secretsecret', '…')}`, () => {
      const isRefusal = (error: unknown) => {
        assert.ok(isTidemarkError(error, 'invalid'));
        assert.match(error.message, message);
        assert.doesNotMatch(`${error.message} ${JSON.stringify(error.details)}`, /secretsecret|AKIAKEY/);
        return true;
      };
      assert.throws(() => parseS3Location(text), isRefusal);
    });
  }
});
