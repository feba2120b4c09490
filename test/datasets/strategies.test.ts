import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ArchivingProgress } from '../../src/datasets/archiving.ts';
import { useArchive } from '../support/archived-files.ts';
import { archivingJob, useServedFiles } from '../support/archiving-jobs.ts';
import { contentOf } from '../support/dataset-platforms.ts';

describe('strategies of datasets', () => {
  afterEach(() => assert.deepEqual(served.leftScratchFiles(), []));
  const served = useServedFiles();
  const archive = useArchive(served);

  for (const [strategy, key] of [
    ['web-file', /^_datasets\/[0-9a-f]{32}\/[0-9a-f]{8}\.warc$/],
    ['archiveorg-file', /^_datasets\/[0-9a-f]{32}\/000001-[0-9a-f]{8}$/],
  ] as const) {
    it(`${strategy} stores a file of any type, with all that a manifest says of it (D08, D11, D47, D53)`, async () => {
      const extra = { description: 'A table' };
      const file = served.file({ name: 'data/a.rar', mimetype: 'application/x-rar' }, { extra });
      const archived = await archive.process(archivingJob([file], { strategy }));

      const bytes = contentOf('data/a.rar');
      const { terminal_dt, stored, ...entry } = archived.files[0]!;
      assert.deepEqual(entry, {
        status: 'success',
        path: 'data/a.rar',
        size: 1000,
        md5: hash('md5', bytes),
        sha1: hash('sha1', bytes),
        sha256: hash('sha256', bytes),
        mimetype: 'application/x-rar',
        platform_url: file.platformUrl,
        terminal_url: file.platformUrl,
        extra,
      });
      assert.match(terminal_dt!, /^20\d{12}$/);
      assert.match(stored!.artifact, key);
      assert.match(archived.itemName ?? '', strategy === 'web-file' ? /^$/ : /^dataverse\.example_doi-10\.5072-FK2/);
    });
  }

  for (const strategy of ['web-fileset', 'archiveorg-fileset'] as const) {
    it(`${strategy} stores several files, some at a time, and reports how far it is (D09, D12, D25, D30)`, async () => {
      const files = Array.from({ length: 12 }, (_, at) => served.file({ name: `${at}`, size: 1000 * at }));
      const progress: ArchivingProgress[] = [];
      const job = archivingJob(files, { strategy, onProgress: (one) => progress.push(one) });
      assert.equal(await archive.checkExisting(job), undefined);
      const archived = await archive.process(job);

      assert.equal(archived.status, 'success', archived.message);
      assert.equal((await archive.objects()).length, strategy === 'web-fileset' ? 1 : 12);
      assert.deepEqual(progress.at(-1), { files: 12, totalFiles: 12, bytes: 66_000, totalBytes: 66_000 });
    });

    it(`${strategy} finds what is stored, and requests no file (D30)`, async () => {
      const files = [served.file({ name: 'a.csv' }), served.file({ name: 'b.csv' })];
      const first = await archive.process(archivingJob(files, { strategy }));
      const requested = served.platforms.requests.length;
      const existing = await archive.checkExisting(archivingJob(files, { strategy }));

      assert.equal(existing!.status, 'success-existing');
      assert.deepEqual(
        existing!.files.map(({ status, path, sha256, stored }) => [status, path, sha256, stored]),
        first.files.map(({ path, sha256, stored }) => ['success-existing', path, sha256, stored]),
      );
      assert.equal(served.platforms.requests.length, requested);
    });
  }

  it('fetches only what an attempt that was killed has not stored', async () => {
    const files = [
      served.file({ name: 'a.csv' }),
      served.file({ name: 'b.csv', fault: { name: 'missing', times: 1 } }),
    ];
    const job = () => archivingJob(files, { strategy: 'archiveorg-fileset' });
    assert.equal((await archive.process(job())).status, 'platform-404');
    assert.equal(await archive.checkExisting(job()), undefined);
    assert.equal((await archive.process(job())).status, 'success');

    const names = served.platforms.requests.map((url) => url.split('/').at(-1));
    assert.deepEqual(names.sort(), ['a.csv', 'b.csv', 'b.csv']);
  });

  it('fails as a whole when this program cannot store a file', async () => {
    const files = ['a.csv', 'b.csv'].map((name) => served.file({ name, size: 300_000 }));
    rmSync(served.scratchFolder, { recursive: true });
    const processed = archive.process(archivingJob(files));
    await assert
      .rejects(processed, (error) => isTidemarkError(error, 'unavailable'))
      .finally(() => {
        mkdirSync(served.scratchFolder);
      });
  });

  it('fails as a whole, and leaves nothing behind, when it is stopped', async () => {
    for (const strategy of ['web-fileset', 'archiveorg-fileset'] as const) {
      const stop = new AbortController();
      const files = Array.from({ length: 8 }, (_, at) => served.file({ name: `${at}`, size: 100_000 }));
      const job = archivingJob(files, {
        strategy,
        signal: stop.signal,
        onProgress: () => stop.abort(new Error('stop')),
      });
      await assert.rejects(archive.process(job), /^Error: stop$/);
      assert.deepEqual(await archive.objects(), []);
    }
  });
});
