import assert from 'node:assert/strict';
import type { ArtifactLocation } from '../../../src/artifacts/open-artifacts.ts';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import { softwareVersion, VERSION } from '../../../src/config/version.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';

describe('the place of artifacts', () => {
  function placeOf(text: string | undefined, flags: object = {}): ArtifactLocation {
    const environment = { TIDEMARK_ARTIFACTS: text };
    return loadConfiguration({ flags, environment, workingDirectory: '/srv' }).configuration.artifacts;
  }

  const FOLDERS: readonly (readonly [text: string | undefined, folder: string])[] = [
    [undefined, '/srv/data/artifacts'],
    ['', '/srv/data/artifacts'],
    ['file:files', '/srv/files'],
    ['file:/mnt/files', '/mnt/files'],
    ['file:///mnt/some%20files', '/mnt/some files'],
  ];
  for (const [text, folder] of FOLDERS) {
    it(`is the folder ${folder} for ${JSON.stringify(text)}`, () => {
      assert.deepEqual(placeOf(text), { kind: 'folder', folder });
    });
  }

  it('is in the data folder when nothing is said, and where a flag says before a variable', () => {
    assert.deepEqual(placeOf(undefined, { data: '/kept' }), { kind: 'folder', folder: '/kept/artifacts' });
    assert.deepEqual(placeOf('file:a', { artifacts: 'file:b' }), { kind: 'folder', folder: '/srv/b' });
  });

  it('is a prefix of a bucket, reached as a root on S3 is', () => {
    const location = placeOf('s3://ingest/avro?endpoint=https://s3.example.org');
    assert.equal(location.kind, 's3');
    const { bucket, prefix, endpoint, pathStyle } = location.kind === 's3' ? location.place : assert.fail();
    assert.deepEqual([bucket, prefix, endpoint, pathStyle], ['ingest', 'avro/', 'https://s3.example.org', true]);
  });

  const WRONG: readonly (readonly [text: string, message: RegExp])[] = [
    ['data/artifacts', /TIDEMARK_ARTIFACTS is not an artifact store: use file:PATH, or s3:\/\/BUCKET\/PREFIX/],
    ['file:', /lacks the path of the folder/],
    ['file://host/files', /is not a URL of a folder on this machine/],
    ['s3://', /the artifact store is not an s3:\/\/BUCKET|the artifact store has ".*" where the name of a bucket/],
    ['s3://key:open-sesame@bucket', /the artifact store contains a key or a password/],
    ['s3://bucket?secret=open-sesame', /the artifact store has an unknown parameter "secret"/],
  ];
  for (const [text, message] of WRONG) {
    it(`is not ${text}`, () => {
      assert.throws(
        () => placeOf(text),
        (error) =>
          isTidemarkError(error, 'invalid') && message.test(error.message) && !error.message.includes('open-sesame'),
      );
    });
  }
});

describe('the version that files name', () => {
  it('is that of the package, and the commit of a checkout', () => {
    assert.match(softwareVersion(), new RegExp(`^${VERSION.replaceAll('.', '\\.')}(?:\\+[0-9a-f]{12})?$`));
  });
});
