import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const ENVIRONMENT = {
  TIDEMARK_DATASET_NETWORKS: '127.0.0.1',
  TIDEMARK_DATASET_ROWS: 'none',
  TIDEMARK_LOG_LEVEL: 'error',
};
const FILES = [{ name: 'a.csv' }, { name: 'b.csv', size: 400_000 }, { name: 'empty', size: 0 }];

describe('the set of datasets', () => {
  let platforms: StandInPlatforms;
  let place: Workplace;
  let url: string;
  beforeEach(async () => {
    platforms = await startPlatforms();
    place = await Workplace.make(SQLITE);
    url = platforms.add({ platform: 'zenodo', files: FILES });
    await done('datasets', 'ingest', url);
  });
  afterEach(async () => {
    await place.close();
    await platforms.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], { env: ENVIRONMENT });
    assert.equal(exitCode, 0, stderr + stdout);
    return jsonLines(stdout);
  };

  it('has dumps, and can be verified and mirrored, as every set (d11)', async () => {
    await done('dumps', 'build', 'datasets');
    const [verified] = await done('verify', 'datasets', '--root', '--published');
    assert.deepEqual([verified.equal, verified.resources], [true, 4]);
    const served = place.start(['serve', '--port', '0'], { env: ENVIRONMENT });
    const [source] = await served.says(/http:\/\/[\w.]+:\d+/);
    const others = platforms.add({ platform: 'zenodo', files: FILES });
    // Its server does the job, and publishes what was ingested.
    await done('datasets', 'add', others);
    await until('both are published', async () => (await done('resources', 'list', 'datasets')).length === 8);
    await done('mirror', source, join(place.folder, 'copy'));
    for (const { name, size } of FILES) {
      for (const record of [url, others].map((landing) => landing.split('/').at(-1)!)) {
        const path = join(place.folder, 'copy', record, name);
        assert.deepEqual(await readFile(path), contentOf(name, size), path);
      }
    }
  });

  it('is in a store that was rebuilt from its archive, which requests no file again', async () => {
    await done('archive');
    const env = { ...ENVIRONMENT, TIDEMARK_STORE: `sqlite:${join(place.folder, 'rebuilt.db')}` };
    const rebuilt = async (...args: readonly string[]) => {
      const { exitCode, stdout, stderr } = await place.run(args, { env });
      assert.equal(exitCode, 0, stderr);
      return stdout;
    };
    await rebuilt('rebuild');
    const before = platforms.fileRequests.length;
    const again = JSON.parse(await rebuilt('datasets', 'ingest', url, '--json'));
    assert.equal(again.result.status, 'success-existing');
    assert.equal(platforms.fileRequests.length, before);
    await rebuilt('artifacts', 'verify');
    assert.equal(JSON.parse(await rebuilt('verify', 'datasets', '--root', '--json')).equal, true);
  });
});
