import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { StrategyName } from '../../src/datasets/manifest.ts';
import { useArchive } from '../support/archived-files.ts';
import { archivingJob, useServedFiles } from '../support/archiving-jobs.ts';
import { tar, zip } from '../support/upload-packages.ts';

/** The files of the manifest. */
const FILES = { 'data/a.csv': 'a,b\n1,2\n', 'read me.txt': 'Read me', 'inner.zip': zip({ 'deep.txt': 'deep' }) };
const MD5 = (content: string | Buffer) => hash('md5', content);

/** A ZIP whose first file is a link. */
function zipWithLink(): Buffer {
  const bytes = zip(FILES);
  const entry = bytes.indexOf('PK\x01\x02');
  bytes[entry + 5] = 3;
  bytes.writeUInt32LE((0o120777 << 16) >>> 0, entry + 38);
  return bytes;
}

const BOMB = zip({ ...FILES, 'zeros.bin': Buffer.alloc(80_000_000) });
const { 'read me.txt': _, ...WITHOUT_ONE } = FILES;

const FAILURES: readonly (readonly [title: string, bundle: Buffer, status: string, message: RegExp])[] = [
  ['lacks a file of the manifest', zip(WITHOUT_ONE), 'bundle-incomplete', /^read me\.txt is in the manifest/],
  ['lacks all files of the manifest', zip({ 'x.txt': 'x' }), 'bundle-incomplete', /^3 files .*data\/a\.csv, read me/],
  ['has other bytes', zip({ ...FILES, 'read me.txt': 'Read it' }), 'mismatch-md5', /^read me\.txt has the md5/],
  ['has a file of another size', zip({ ...FILES, 'read me.txt': 'Read' }), 'mismatch-size', /has 4 bytes/],
  ['is a bomb', BOMB, 'bad-bundle', /unpacks to more than 67/],
  ['is encrypted', zip(FILES, { 'read me.txt': { flags: 1 } }), 'bad-bundle', /read me\.txt: it is encrypted/],
  ['has a link', zipWithLink(), 'bad-bundle', /data\/a\.csv: it is a link/],
  ['has a link in a tar', tar({ ...FILES, l: { type: '2' } }), 'bad-bundle', /l: it is a link/],
  ['has a path out of it', zip({ ...FILES, '../../etc/passwd': 'x' }), 'bad-bundle', /leads out of it.*passwd/],
  ['has an absolute path', tar({ ...FILES, '/etc/passwd': 'x' }), 'bad-bundle', /leads out of it/],
  ['has a path of Windows out of it', zip({ ...FILES, '..\\x': 'x' }), 'bad-bundle', /leads out of it/],
  ['has no directory', zip(FILES).subarray(0, -30), 'bad-bundle', /its directory,.* is missing/],
  ['is no package', Buffer.from('nothing'), 'bad-bundle', /neither a ZIP nor a tar/],
  ['is a broken gzip', gzipSync(tar(FILES)).subarray(0, 200), 'bad-bundle', /breaks off/],
];

describe('bundles of hostile platforms', () => {
  afterEach(() => assert.deepEqual(served.leftScratchFiles(), []));
  const served = useServedFiles();
  const archive = useArchive(served);

  function jobOf(bundle: Buffer, strategy: StrategyName, contentType = 'application/zip') {
    const { platforms } = served;
    const url = platforms.addPage('/files/all', { headers: { 'content-type': contentType }, body: bundle });
    const files = Object.entries(FILES).map(([path, content]) => {
      return { path, size: content.length, hashes: [{ algorithm: 'md5', digest: MD5(content) }] };
    });
    const dataset = { bundle: { url, name: 'all.zip', mimetype: 'application/zip' } };
    return archivingJob(files, { strategy, dataset });
  }

  for (const [title, bundle, status, message] of FAILURES) {
    it(`stores none that ${title} (d16)`, async () => {
      const archived = await archive.process(jobOf(bundle, 'archiveorg-fileset-bundled'));

      assert.equal(archived.status, status, archived.message);
      assert.match(archived.message!, message);
      if (status === 'bad-bundle') {
        assert.deepEqual([archived.bundle!.status, archived.files[0]!.status], ['bad-bundle', 'not-tried']);
      } else assert.ok(archived.files.some((file) => file.status === status));
      assert.deepEqual(await archive.objects(), []);
    });
  }

  it('fetches it again when that of another attempt is not as the manifest says, which that one may use', async () => {
    const job = jobOf(zip(FILES), 'archiveorg-fileset-bundled');
    const other = `_datasets/${job.folder}/000000-00000000`;
    await archive.artifacts.put(other, [zip(WITHOUT_ONE)]);
    const archived = await archive.process(job);

    assert.equal(archived.status, 'success', archived.message);
    const keys = (await archive.objects()).map(({ key }) => key);
    assert.deepEqual(keys.sort(), [other, archived.bundle!.stored!.artifact].sort());
  });

  it('keeps it when the process is stopped while it is read, for the next attempt', async () => {
    const stop = new AbortController();
    const job = { ...jobOf(zip(FILES), 'archiveorg-fileset-bundled'), signal: stop.signal };
    const put = archive.artifacts.put.bind(archive.artifacts);
    const stopping = async (...args: Parameters<typeof put>) => {
      const stored = await put(...args);
      stop.abort(new Error('stop'));
      return stored;
    };
    // Right after it was stored.
    Object.assign(archive.artifacts, { put: stopping });
    await assert.rejects(archive.process(job), /^Error: stop$/);
    assert.equal((await archive.objects()).length, 1);
  });

  it('stores none in whose place HTML comes', async () => {
    const job = jobOf(Buffer.from('<p>Log in'), 'web-fileset-bundled', 'text/html');
    const archived = await archive.process(job);

    assert.deepEqual([archived.status, archived.bundle!.status], ['blocked-challenge', 'blocked-challenge']);
    assert.deepEqual(await archive.objects(), []);
  });

  for (const [kind, bundle] of [
    ['ZIP', zip({ ...FILES, 'MANIFEST.TXT': 'A list of files' })],
    ['tar', tar({ ...FILES, 'MANIFEST.TXT': 'A list of files' })],
    ['tar in gzip', gzipSync(tar({ ...FILES, 'MANIFEST.TXT': 'A list of files' }))],
    [
      'ZIP with a folder around all files',
      zip(
        Object.fromEntries(
          Object.entries({ ...FILES, 'MANIFEST.TXT': 'x' }).map(([name, text]) => [`set/${name}`, text]),
        ),
      ),
    ],
  ] as const) {
    it(`stores a ${kind} and indexes its files, and none of packages in it (D07, D10, D13, D14, D15, d16)`, async () => {
      for (const strategy of ['web-fileset-bundled', 'archiveorg-fileset-bundled'] as const) {
        const archived = await archive.process(jobOf(bundle, strategy));

        assert.equal(archived.status, 'success', archived.message);
        assert.deepEqual(
          archived.files.map(({ status, path, md5, stored }) => [status, path, md5, stored]),
          Object.entries(FILES).map(([path, content]) => ['success', path, MD5(content), undefined]),
        );
        const { path, size, sha256, extra, stored } = archived.bundle!;
        assert.deepEqual([path, size, sha256], ['all.zip', bundle.length, hash('sha256', bundle)]);
        assert.equal(stored!.length, bundle.length);
        assert.match(JSON.stringify(extra), /^\{"other_paths":\["(?:set\/)?MANIFEST.TXT"\]\}$/);
        assert.equal(archived.itemBundlePath, strategy.startsWith('web') ? undefined : 'all.zip');
      }
    });
  }

  it('stores one in a web archive that is larger than a single file may be', async () => {
    const bundle = zip({ ...FILES, 'of the platform.bin': Buffer.alloc(1_100_000) }, { method: 0 });
    const archived = await archive.process(jobOf(bundle, 'web-fileset-bundled'));

    assert.deepEqual([archived.status, archived.bundle?.size], ['success', bundle.length], archived.message);
  });

  it('takes over one that an attempt before has stored, and requests nothing', async () => {
    for (const strategy of ['web-fileset-bundled', 'archiveorg-fileset-bundled'] as const) {
      await archive.process(jobOf(zip(FILES), strategy));
      const requested = served.platforms.requests.length;

      assert.equal((await archive.process(jobOf(zip(FILES), strategy))).status, 'success');
      assert.equal(served.platforms.requests.length, requested);
    }
  });
});
