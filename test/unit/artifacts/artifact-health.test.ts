import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { ArtifactHealth } from '../../../src/artifacts/artifact-health.ts';
import { FolderStore } from '../../../src/artifacts/folder/folder-store.ts';
import { useTempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

describe('The health of an artifact store', () => {
  const folder = useTempFolder();
  let requests = 0;
  const counted = () => {
    requests = 0;
    const store = new FolderStore(folder.at('artifacts'));
    return {
      head(key: string) {
        requests += 1;
        return store.head(key);
      },
    };
  };
  /** A link to itself is as unusable as a disk that fails. */
  const breakStore = () => symlinkSync(folder.at('artifacts'), folder.at('artifacts'));

  it('is asked for with one request, however often it is read', async () => {
    const health = new ArtifactHealth(counted());
    assert.deepEqual(await Promise.all([health.problem(), health.problem()]), [undefined, undefined]);
    breakStore();
    assert.equal(await health.problem(), undefined);
    assert.equal(requests, 1);
  });

  it('is asked for again after a while, and says what is wrong', async () => {
    const health = new ArtifactHealth(counted(), -1);
    assert.equal(await health.problem(), undefined);
    breakStore();
    assert.match((await health.problem())!, /^the artifact store .* cannot be read: /);
    folder.remove('artifacts');
    mkdirSync(folder.at('artifacts'));
    assert.equal(await health.problem(), undefined);
  });

  it('is bad while a store does not answer, which is not asked again meanwhile', async () => {
    const { promise: never, resolve } = Promise.withResolvers<undefined>();
    let asked = 0;
    const silent = () => {
      asked += 1;
      return never;
    };
    const health = new ArtifactHealth({ head: silent }, -1);
    for (let at = 0; at < 2; at++) assert.match((await health.problem())!, /has not answered within 2 seconds/);
    assert.equal(asked, 1);
    resolve(undefined);
    await until('it answers', async () => (await health.problem()) === undefined);
  });
});
