import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { base32Of } from '../../src/datasets/backends/base32.ts';
import { openBackends } from '../../src/datasets/backends/open-backends.ts';
import { parseCdx } from '../../src/datasets/backends/remote/cdx.ts';
import { archiverOf } from '../../src/datasets/strategies/archiver-of.ts';
import { archivingJob, SMALL_LIMITS, useServedFiles } from '../support/archiving-jobs.ts';
import { contentOf } from '../support/dataset-platforms.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { checkWithWarcio, itWithWebArchives, Wayback } from '../support/web-archives.ts';

describe('WARC files of datasets, with other programs', () => {
  const folder = useTempFolder();
  const served = useServedFiles();
  let wayback: Wayback | undefined;
  afterEach(async () => {
    await wayback?.stop();
    wayback = undefined;
  });

  itWithWebArchives('warcio finds no wrong digest, and pywb replays each file as it came (d14, d6)', async () => {
    const { platforms, file } = served;
    const signed = file({ name: 'behind a redirect.csv' });
    platforms.addPage('/signed', (_, response) => {
      const location = `${signed.platformUrl}?X-Amz-Signature=secret`;
      response.writeHead(302, { location, 'content-type': 'text/plain' }).end('over there');
      return true;
    });
    const files = [
      file({ name: 'a.csv', mimetype: 'text/csv' }),
      file({ name: 'packed.txt', size: 5000, fault: { name: 'gzip' } }),
      file({ name: 'without length.bin', size: 70_000, fault: { name: 'shortened', at: 70_000 } }),
      { ...signed, platformUrl: `${platforms.url}/signed` },
      file({ name: 'empty.txt', size: 0 }),
      file({ name: 'cut.bin', size: 90_000, fault: { name: 'cut-off', times: 1 } }),
    ];
    const artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
    const { fetcher, scratchFolder } = served;
    const backends = openBackends(SMALL_LIMITS, { fetcher, artifacts, scratchFolder });
    const archiver = archiverOf('web-fileset', { backends, fetches: 4, datasetBytes: 1e9 });
    const archived = await archiver.process(archivingJob(files));
    await artifacts.close();
    assert.equal(archived.status, 'success', archived.message);

    const warc = `${folder.at('artifacts')}/${archived.files[0]!.stored!.artifact}`;
    const bytes = readFileSync(warc);
    for (const { path, size, stored } of archived.files) {
      const range = bytes.subarray(stored!.offset, stored!.offset + stored!.length);
      assert.ok(range.equals(contentOf(path, size)), path);
    }
    const checked = await checkWithWarcio(warc);
    assert.deepEqual([...new Set(checked.match(/digest (?:pass|failed)|no digest[^\n]*/g))], ['digest pass'], checked);

    folder.write('pywb/any');
    wayback = await Wayback.start(folder.at('pywb'), [warc]);
    for (const [at, { path, size, terminal_dt: time }] of archived.files.entries()) {
      const [url] = at === 3 ? [`${signed.platformUrl}?X-Amz-Signature=secret`] : [files[at]!.platformUrl!];
      const replayed = await wayback.replay(url, time!);
      assert.equal(replayed.status, 200, path);
      assert.ok(Buffer.from(await replayed.arrayBuffer()).equals(contentOf(path, size)), path);
    }
    const index = await fetch(`${wayback.url}/files/cdx?output=json&url=${encodeURIComponent(files[0]!.platformUrl!)}`);
    const [capture, ...others] = parseCdx(await index.text());
    const { mimetype, terminal_dt: timestamp, sha1 } = archived.files[0]!;
    const digest = base32Of(sha1!);
    assert.deepEqual(capture, { url: files[0]!.platformUrl, timestamp, mimetype, statusCode: 200, digest });
    assert.deepEqual(others, []);
    const redirect = await wayback.replay(`${platforms.url}/signed`, archived.files[3]!.terminal_dt!);
    assert.equal(redirect.status, 302);
    assert.match(redirect.headers.get('location') ?? '', /X-Amz-Signature=secret$/);
    await redirect.body?.cancel();
    assert.doesNotMatch(JSON.stringify(archived), /secret/);
  });
});
