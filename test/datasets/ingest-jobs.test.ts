import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { RequestDocument } from '../../src/datasets/request.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;

describe('requests of datasets as jobs', () => {
  let platforms: StandInPlatforms;
  let started: StartedApp;
  let runner: JobRunner | undefined;
  beforeEach(async () => {
    platforms = await startPlatforms();
    started = await startApp(SQLITE, { datasetNetworks: ['127.0.0.1'] });
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
    await platforms.close();
  });

  /** Runs jobs, each with two attempts, one right after the other. */
  function run(): void {
    const worker = { name: 'tester', leaseMs: 30_000 };
    const retry = { attempts: 2, firstMs: 1, longestMs: 1 };
    const definitions = JOB_DEFINITIONS.map((definition) => ({ ...definition, retry }));
    runner = new JobRunner({ definitions, parts: started.app, worker, concurrency: 4 });
    runner.start();
  }
  const add = async (...urls: readonly string[]) => {
    const requests = urls.map((base_url) => ({ ingest_type: 'dataset', base_url }) as const);
    return started.app.datasets.add(requests, {});
  };
  const ended = (url: string) =>
    until(`${url} has a result`, async () => {
      const document = await started.app.datasets.get(url);
      return document.state === 'ended' && document.result !== undefined ? document : undefined;
    });

  it('ingests each URL once, by a job, and publishes it in the set (D01, D31, D33, D49)', async () => {
    const urls = ['a', 'b'].map((name) => platforms.add({ platform: 'zenodo', files: [{ name }, { name: 'other' }] }));
    const documents = await add(...urls, urls[0]!);
    assert.deepEqual(new Set(documents.map(({ state }) => state)), new Set(['waiting']));
    assert.equal(documents[0]!.token, documents[2]!.token);
    assert.equal((await started.app.jobs.queue.list({ kinds: ['ingest-dataset'], limit: 9 })).length, 2);
    run();
    for (const url of urls) assert.equal((await ended(url)).result?.status, 'success');
    assert.equal(platforms.fileRequests.length, 4);
    assert.equal((await started.app.sets.bySlug('datasets')).origin.kind, 'datasets');
  });

  it('keeps the last result until there is another (D49)', async () => {
    let isDown = false;
    const url = platforms.add({
      platform: 'dataverse',
      files: [{ name: 'a' }, { name: 'b' }],
      change: (reply) => (isDown ? 'out of order' : reply),
    });
    run();
    await add(url);
    const first = await ended(url);
    await runner!.stop();
    isDown = true;
    const [again] = await add(url);
    assert.deepEqual([again!.state, again!.result], ['waiting', first.result]);
    await assert.rejects(started.app.datasets.retry(await idOf(url)), (error) => isTidemarkError(error, 'conflict'));
    run();
    const second = await until('the second result', async () => {
      const document = await started.app.datasets.get(url);
      return document.state === 'ended' ? document : undefined;
    });
    assert.equal(second.result?.status, 'bad-platform-reply');
  });

  it('puts a result only into the request that it is of (D49)', async () => {
    const url = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }] });
    const [replaced] = await add(url);
    const request = { ingest_type: 'dataset', base_url: url } as const;
    const later = await started.app.datasets.ingest(request, { signal: new AbortController().signal });
    run();
    const job = await until('its job has ended', async () => {
      const found = await started.app.jobs.queue.get(replaced!.job!);
      return found.state === 'done' ? found : undefined;
    });
    assert.deepEqual(job.result, { replaced: true });
    assert.deepEqual(await started.app.datasets.get(url), later);
  });

  for (const [title, fault, status, most] of [
    ['tries again what may pass, and has a result at the last attempt', 'unavailable-for-long', 'file-not-fetched', 2],
    ['does not try again what does not pass, such as a file that is missing', 'missing', 'platform-404', 1],
  ] as const) {
    it(title, async () => {
      const url = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }, { name: 'b', fault: { name: fault } }] });
      const [document] = await add(url);
      run();
      const { result } = await ended(url);
      const { attempts, state } = await until('its job has ended', async () => {
        const job = await started.app.jobs.queue.get(document!.job!);
        return job.state === 'running' ? undefined : job;
      });
      assert.deepEqual([result?.status, attempts, state], [status, most, 'done']);
    });
  }

  for (const [title, retry] of [
    ['it', (_: RequestDocument, url: string) => idOf(url).then((id) => started.app.datasets.retry(id))],
    ['the job', ({ job }: RequestDocument) => started.app.jobs.queue.retry(job!)],
  ] as const) {
    it(`ends a request whose job was cancelled, and does it when ${title} is retried`, async () => {
      const url = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }] });
      const [document] = await add(url);
      await started.app.jobs.cancel(document!.job!);
      const cancelled = await ended(url);
      assert.deepEqual([cancelled.result?.status, cancelled.result?.hit], ['cancelled', false]);
      await retry(document!, url);
      run();
      const done = await until('it was ingested', async () => {
        const found: RequestDocument = await started.app.datasets.get(url);
        return found.result?.hit === true ? found : undefined;
      });
      assert.equal(done.result?.status, 'success-file');
    });
  }

  it('removes files that no dataset and no result names, a week after they were stored', async () => {
    const wrong = { name: 'wrong', stated: { md5: '0'.repeat(32) } };
    run();
    const whole = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }, { name: 'b' }] });
    const failing = platforms.add({ platform: 'zenodo', files: [{ name: 'c' }, wrong] });
    await add(whole, failing);
    for (const url of [whole, failing]) await ended(url);
    await ageSet();
    const folder = join(started.app.configuration.dataFolder, 'artifacts', '_datasets');
    const folders = await readdir(folder);
    const left = ['000001-00000000', '000002-00000000'];
    for (const name of left) await writeFile(join(folder, folders[0]!, name), 'left over');
    const before = await agedFiles(folder);
    // An attempt may be under way, and use all of them.
    await utimes(join(folder, folders[0]!, left[0]!), Date.now() / 1000, Date.now() / 1000);
    const { signal } = new AbortController();
    assert.equal(await started.app.datasets.removeUnused(signal), 0);
    await agedFiles(folder);
    assert.equal(await started.app.datasets.removeUnused(signal), 2);
    assert.deepEqual(
      await agedFiles(folder),
      before.filter((file) => !file.endsWith('-00000000')),
    );
  });

  it('takes over what an attempt has stored, unless it is about to be removed (D30)', async () => {
    const wrong = { name: 'wrong', stated: { md5: '0'.repeat(32) } };
    const files = [...Array.from({ length: 20 }, (_, at) => ({ name: `${at}` })), wrong];
    const url = platforms.add({ platform: 'zenodo', files });
    const { signal } = new AbortController();
    const ingest = async (acceptMismatch: boolean) => {
      const before = platforms.fileRequests.length;
      const options = { acceptMismatch };
      const { result } = await started.app.datasets.ingest(
        { ingest_type: 'dataset', base_url: url },
        { options, signal },
      );
      return [result?.status, platforms.fileRequests.length - before];
    };
    assert.deepEqual(await ingest(false), ['mismatch-md5', 21]);
    assert.deepEqual(await ingest(false), ['mismatch-md5', 1]);
    await agedFiles(join(started.app.configuration.dataFolder, 'artifacts', '_datasets'));
    assert.deepEqual(await ingest(true), ['success', 21]);
  });

  it('compares stored files with their digests, of a WARC each range (d14)', async () => {
    run();
    const url = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }, { name: 'b' }] });
    const { result } = await ended((await add(url))[0]!.request.base_url);
    const { backup, catalog, configuration } = started.app;
    assert.equal((await backup.verifyArtifacts({})).totalDamaged, 0);
    const { body } = (await catalog.get<Dataset>('dataset', result!.dataset!))!;
    const folder = join(configuration.dataFolder, 'artifacts', body.manifest.artifact, '..');
    const [warc] = (await readdir(folder)).filter((name) => name.endsWith('.warc'));
    await writeFile(join(folder, warc!), Buffer.alloc(100_000));
    const { damaged } = await backup.verifyArtifacts({});
    assert.deepEqual(
      damaged.map(({ key, range }) => [key.endsWith(warc!), range?.length]),
      [
        [true, 1000],
        [true, 1000],
      ],
    );
  });

  const idOf = async (url: string) => {
    const { requests } = await started.app.datasets.list({ limit: 10 });
    return requests.find(({ document }) => document.request.base_url === url)!.id;
  };

  /** The set was made a month before: older files than it are of another store. */
  async function ageSet(): Promise<void> {
    const { catalog, sets } = started.app;
    const { id } = await sets.bySlug('datasets');
    const found = (await catalog.list<{ epochStart: number }>('set')).find((one) => Number(one.id) === id)!;
    const epochStart = found.body.epochStart - 30 * DAY_MS * 1000;
    await catalog.put('set', found.id, { ...found.body, epochStart }, found.version);
  }

  /** All files, which were written 8 days ago. */
  async function agedFiles(folder: string): Promise<readonly string[]> {
    const time = (Date.now() - 8 * DAY_MS) / 1000;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const file of files) await utimes(file, time, time);
    return files.sort();
  }
});
