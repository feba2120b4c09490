import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { findPlace } from '../../../src/client/mirror/target/find-place.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('the place of a copy in a bucket', () => {
  const home = useTempFolder();
  const outside = process.env.HOME;
  beforeEach(() => {
    process.env.HOME = home.path;
  });
  afterEach(() => {
    process.env.HOME = outside;
  });

  const folderOf = async (target: string) => {
    const options = { workingDirectory: home.path, stateFolder: undefined, settings: { timeoutMs: 1_000 } };
    return (await findPlace(target, options)).stateFolder;
  };

  it('has a state folder of its own for each endpoint, bucket and prefix', async () => {
    const folders = await Promise.all(
      [
        's3://copies/zz',
        's3://copies/zz?endpoint=http://a.example.org',
        's3://copies/zz?endpoint=http://b.example.org',
        's3://copies/zz?endpoint=http://a.example.org:9000',
        's3://copies/zz?endpoint=https://a.example.org',
        's3://copies/z?endpoint=http://a.example.org',
        's3://others/zz?endpoint=http://a.example.org',
      ].map(folderOf),
    );
    assert.equal(new Set(folders).size, folders.length);
    for (const folder of folders) assert.ok(folder.startsWith(home.at('.local/state/tidemark/mirrors/')), folder);
  });

  it('has one state folder, however its location is written and its server is used', async () => {
    const folders = await Promise.all(
      [
        's3://copies/zz?endpoint=http://a.example.org',
        's3://copies/zz/?endpoint=http://a.example.org/',
        'S3://copies/zz?endpoint=HTTP://A.Example.ORG:80',
        's3://copies/zz?region=eu-west-1&endpoint=http://a.example.org&path-style=false&profile=copies',
      ].map(folderOf),
    );
    assert.equal(new Set(folders).size, 1, folders.join(' '));
  });

  it('has the state folder of earlier versions at Amazon', async () => {
    assert.equal(basename(await folderOf('s3://copies/zz')), 'copies-7dd044428b07');
  });
});
