import assert from 'node:assert/strict';
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { RequestDocument } from '../../src/datasets/request.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect } from '../support/builders.ts';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const ENVIRONMENT = {
  TIDEMARK_DATASET_NETWORKS: '127.0.0.1',
  TIDEMARK_DATASET_ROWS: 'none',
  TIDEMARK_LOG_LEVEL: 'error',
  TIDEMARK_JOB_LEASE: '2s',
};
const FILES = [{ name: 'a' }, { name: 'b' }];
const WORK = ['work', '--kinds', 'ingest-dataset'];

describeOnEachStore('ingesting datasets in processes that are killed', (store, itOnce) => {
  let place: Workplace;
  let platforms: StandInPlatforms;
  let opened: Stores | undefined;
  beforeEach(async () => {
    platforms = await startPlatforms();
    place = await Workplace.make(store);
  });
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
    await place.close();
    await platforms.close();
  });

  const stores = async () => {
    opened ??= await openStores(place.store.location);
    return opened;
  };
  const killedAt = async (failpoint: string, ...args: readonly string[]) => {
    const env = { ...ENVIRONMENT, TIDEMARK_FAILPOINT: `${failpoint}:kill` };
    assert.equal((await place.runProcess(args, { env })).exitCode, null);
  };
  const ingest = async (url: string) => {
    const { exitCode, stdout, stderr } = await place.run(['datasets', 'ingest', url, '--json'], { env: ENVIRONMENT });
    assert.equal(exitCode, 0, stderr + stdout);
  };
  const documents = async () => {
    const { catalog } = await stores();
    return (await catalog.list<RequestDocument>('dataset-request')).map(({ body }) => body);
  };
  const datasets = async () => {
    const { catalog } = await stores();
    return (await catalog.list<Dataset>('dataset')).map(({ body }) => body);
  };
  const keys = async () => {
    const { catalog, index } = await stores();
    const [set] = await catalog.list<{ readonly slug: string }>('set');
    return (await collect(index.read(Number(set!.id), {}))).map(({ key }) => key);
  };
  /** All requests have ended, as hits. */
  const allEnded = () =>
    until('all requests have ended', async () => {
      const all = await documents();
      return all.length > 0 && all.every(({ state }) => state === 'ended') ? all : undefined;
    });

  for (const [failpoint, test, status] of [
    ['dataset.archived', it, 'success'],
    ['dataset.manifested', itOnce, 'success'],
    ['dataset.recorded', it, 'success-existing'],
  ] as const) {
    test(`goes on after ${failpoint}, and fetches no file again`, async () => {
      const url = platforms.add({ platform: 'zenodo', files: FILES });
      await killedAt(failpoint, 'datasets', 'ingest', url);
      assert.deepEqual(await keys(), [], 'nothing is published of a part');
      await ingest(url);
      assert.deepEqual(
        (await documents()).map(({ result }) => result?.status),
        [status],
      );
      assert.equal((await keys()).length, 3);
      assert.equal(platforms.fileRequests.length, 2);
    });
  }

  it('gives a job to a request whose process was killed before it added one', async () => {
    const url = platforms.add({ platform: 'zenodo', files: FILES });
    await killedAt('dataset.requested', 'datasets', 'add', url);
    assert.deepEqual(
      (await documents()).map(({ state }) => state),
      ['waiting'],
    );
    place.startProcess(WORK, { env: ENVIRONMENT });
    assert.deepEqual(
      (await allEnded()).map(({ result }) => result?.status),
      ['success'],
    );
  });

  it('stores one dataset when two processes ingest it at the same time', async () => {
    const url = platforms.add({ platform: 'zenodo', files: FILES });
    await Promise.all([ingest(url), ingest(url)]);
    const [document, ...others] = await documents();
    const [dataset, ...more] = await datasets();
    assert.deepEqual([document!.result?.dataset, others, more], [dataset!.id, [], []]);
    assert.equal((await keys()).length, 3);
  });

  itOnce('ends each of many requests once, with 12 workers of which some are killed (D33)', async () => {
    const urls = Array.from({ length: 60 }, (_, at) =>
      platforms.add({ platform: 'zenodo', files: FILES, id: `${1000 + at}` }),
    );
    await place.run(['datasets', 'add', '-'], { env: ENVIRONMENT, input: urls.join('\n') });
    const start = () => place.startProcess([...WORK, '--concurrency', '3'], { env: ENVIRONMENT });
    const workers = [start(), start(), start(), start()];
    await Promise.all(workers.map((worker) => worker.says(/Running jobs/)));
    for (const [at, worker] of workers.slice(1).entries()) {
      await until('some are done', async () => (await datasets()).length >= 8 + at * 10);
      await worker.kill();
    }
    const { jobs } = await stores();
    const all = await until('all requests have ended', async () => {
      // A person need not wait until the pause after a death has passed.
      const waiting = await jobs.list({ kinds: ['ingest-dataset'], states: ['queued'], limit: 100 });
      for (const { id, deaths } of waiting) if (deaths !== undefined) await jobs.retry(`ingest-dataset/${id}`);
      const found = await documents();
      return found.every(({ state }) => state === 'ended') ? found : undefined;
    });
    assert.deepEqual(all.map(({ request }) => request.base_url).sort(), urls.sort());
    assert.ok(all.every(({ result }) => result?.hit === true));
    assert.equal((await datasets()).length, urls.length);
  });
});
