import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readArtifact } from '../../src/datasets/backends/read-artifact.ts';
import type { PlatformFile } from '../../src/datasets/manifest.ts';
import { bytesOf } from '../contract/dataset-backend.ts';
import { useArchive } from '../support/archived-files.ts';
import { archivingJob, useServedFiles } from '../support/archiving-jobs.ts';
import { contentOf, type StandInFile } from '../support/dataset-platforms.ts';

type Case = readonly [
  title: string,
  file: Omit<StandInFile, 'name'>,
  stated: Partial<PlatformFile>,
  status: string,
  message: RegExp,
];

const MD5 = (name: string) => [{ algorithm: 'md5', digest: hash('md5', contentOf(name, 999)) }];
const UNSTATED = { size: undefined, hashes: [] };
const NAME = 'hostile.csv';
/** What has come and was not read yet is lost when a connection breaks: so much that a part of it is read. */
const SIZE = 200_000;
const CUTS = [0, 1, 1000, 140_000, SIZE - 1];

const FAILURES: readonly Case[] = [
  ['has another size', {}, { size: 999 }, 'mismatch-size', /1000 .*999/],
  ['has another size, without a Content-Length', { fault: { name: 'gzip' } }, { size: 1001 }, 'mismatch-size', /1001/],
  ['has another hash', {}, { hashes: MD5(NAME) }, 'mismatch-md5', /has the md5 [0-9a-f]{32}, .* states [0-9a-f]{32}/],
  ['has the right size and wrong bytes', { fault: { name: 'wrong-bytes' } }, {}, 'mismatch-md5', /--accept-mismatch/],
  ['has one byte more', { fault: { name: 'one-byte-more' } }, {}, 'mismatch-size', /1001/],
  ['breaks off each time', { fault: { name: 'cut-off', at: 7 } }, {}, 'file-not-fetched', /./],
  ['ends early, properly', { fault: { name: 'shortened', at: 7 } }, {}, 'mismatch-size', /7 bytes/],
  ['is endless', { fault: { name: 'endless' } }, {}, 'mismatch-size', /more than the 1000 bytes/],
  [
    'is endless, of no stated size',
    { fault: { name: 'endless' } },
    UNSTATED,
    'too-large-size',
    /^hostile\.csv has more than 1\.00 MB: .*--dataset-web-file-size/,
  ],
  ['has a larger Content-Length', { fault: { name: 'larger-content-length' } }, {}, 'mismatch-size', /1100/],
  ['has a smaller Content-Length', { fault: { name: 'smaller-content-length' } }, {}, 'mismatch-size', /500/],
  ['is HTML in place of data', { fault: { name: 'html' } }, {}, 'blocked-challenge', /browser/],
  ['is HTML, and says not how long', { fault: { name: 'html-until-closed' } }, {}, 'blocked-challenge', /browser/],
  ['is packed, and has less in it', { fault: { name: 'gzip-of-less' } }, {}, 'mismatch-size', /999 .*1000/],
  [
    'is HTML in place of data of which nothing is known but its type',
    { fault: { name: 'html' } },
    { ...UNSTATED, mimetype: 'text/csv' },
    'blocked-challenge',
    /text\/csv/,
  ],
  ['is a challenge', { fault: { name: 'challenge' } }, {}, 'blocked-challenge', /202/],
  ['is empty in place of data', { fault: { name: 'empty' } }, {}, 'mismatch-size', /0 bytes/],
  ['is forbidden', { fault: { name: 'forbidden' } }, {}, 'platform-restricted', /--platform-token/],
  ['is missing', { fault: { name: 'missing' } }, {}, 'platform-404', /404/],
  ['is unavailable', { fault: { name: 'unavailable' } }, {}, 'file-not-fetched', /503/],
  ['has no URL alone', {}, { platformUrl: undefined }, 'bad-manifest', /--bundle/],
];

const OF_BOTH = ['has another size', 'has another hash', 'is endless', 'is HTML in place of data', 'is missing'];

describe('files of hostile platforms', () => {
  afterEach(() => assert.deepEqual(served.leftScratchFiles(), []));
  const served = useServedFiles();
  const archive = useArchive(served, 24);

  for (const strategy of ['web-fileset', 'archiveorg-fileset'] as const) {
    describe(strategy, () => {
      // Files are fetched alike for every backend.
      const failures = strategy === 'web-fileset' ? FAILURES : FAILURES.filter(([title]) => OF_BOTH.includes(title));
      for (const [title, hostile, stated, status, message] of failures) {
        it(`stores no dataset with a file that ${title} (D26, d17)`, async () => {
          const file = served.file({ name: NAME, ...hostile }, stated);
          const files = [served.file({ name: 'good.csv' }), file];
          const archived = await archive.process(archivingJob(files, { strategy }));

          assert.deepEqual([archived.status, archived.files[1]!.status], [status, status]);
          assert.match(archived.message!, message);
          assert.equal(archived.message, archived.files[1]!.message);
          assert.match(archived.message!, /hostile\.csv/);
          const failed = archived.files[1]!;
          assert.deepEqual([failed.size, failed.md5], [file.size, file.hashes[0]?.digest]);
          assert.equal(archived.files[0]!.status, 'success');
          assert.ok(archived.files.every((one) => one.stored === undefined));
          const stored = (await archive.objects()).map(({ length }) => length);
          assert.deepEqual(stored, strategy === 'web-fileset' ? [] : [1000]);
        });
      }

      it('stores what differs by --accept-mismatch, marked (d13)', async () => {
        const files = [
          served.file({ name: 'a.csv' }, { hashes: MD5('a.csv') }),
          served.file({ name: 'b.csv' }, { size: 3 }),
        ];
        const options = { acceptMismatch: true };
        const archived = await archive.process(archivingJob(files, { strategy, options }));

        assert.equal(archived.status, 'success');
        assert.deepEqual(
          archived.files.map(({ status, size, md5 }) => [status, size, md5]),
          ['a.csv', 'b.csv'].map((name) => ['accepted-mismatch', 1000, hash('md5', contentOf(name))]),
        );
        assert.match(archived.files[1]!.message!, /1000 bytes, and the platform states 3/);
      });

      it('goes on where a file was cut off, at any byte, with ranges and without', async () => {
        const cut = (name: string, at: number) => ({
          name,
          size: SIZE,
          fault: { name: 'cut-off', at, times: 1 } as const,
        });
        const files = CUTS.flatMap((at) => [
          served.file(cut(`range-${at}`, at)),
          served.file({ ...cut(`whole-${at}`, at), ignoresRanges: true }),
          served.file({ ...cut(`unstated-${at}`, at), ignoresRanges: true }, { hashes: [] }),
        ]);
        const archived = await archive.process(archivingJob(files, { strategy }));

        assert.equal(archived.status, 'success', archived.message);
        for (const { path, stored } of archived.files) {
          const { artifact, offset, length } = stored!;
          const bytes = await bytesOf(readArtifact(archive.artifacts, artifact, { start: offset, length }));
          assert.ok(bytes.equals(contentOf(path, SIZE)), path);
        }
      });
    });
  }

  it('goes on from the URL of the platform when a signed one has expired (d17)', async () => {
    const { platforms } = served;
    const bytes = contentOf('signed.bin', 100_000);
    let signed = 0;
    const files = Array.from({ length: 3 }, (_, at) => {
      platforms.addPage(`/signed/${at}`, (_request, response) => {
        signed += 1;
        response.writeHead(302, { location: `/storage/${at}?X-Amz-Signature=${signed}` }).end();
        return true;
      });
      const used = new Set<string>();
      platforms.addPage(`/storage/${at}`, ({ url, headers }, response) => {
        const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
        if (used.has(url!)) response.writeHead(403).end();
        else {
          response.writeHead(from === 0 ? 200 : 206, {
            etag: '"one"',
            // Otherwise, the next request may be sent while this connection is being closed.
            connection: 'close',
            'content-length': bytes.length - from,
            ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
          });
          response.write(bytes.subarray(from, from + 40_000), () => response.socket!.end());
        }
        used.add(url!);
        return true;
      });
      const hashes = [{ algorithm: 'sha1', digest: hash('sha1', bytes) }];
      return { path: `${at}.bin`, size: bytes.length, hashes, platformUrl: `${platforms.url}/signed/${at}` };
    });
    const archived = await archive.process(archivingJob(files));

    assert.equal(archived.status, 'success', archived.message);
    // What has come and was not read is lost, so there may be more.
    assert.ok(signed >= 6, `${signed}`);
    assert.equal(archived.files[0]!.terminal_url, `${platforms.url}/storage/0`);
  });

  for (const [title, next, status] of [
    ['does not put together the bytes of two versions of a file', 2, 'file-not-fetched'],
    ['goes on with a file of which nothing is stated when its beginning is the same', 1, 'success'],
  ] as const) {
    it(title, async () => {
      let byte: number = 1;
      const url = served.platforms.addPage('/changing', (_, response) => {
        const bytes = Buffer.alloc(SIZE, byte);
        response.writeHead(200, { 'content-length': SIZE });
        if (served.platforms.requests.length > 1) response.end(bytes);
        else response.write(bytes.subarray(0, SIZE - 1), () => response.socket!.end());
        byte = next;
        return true;
      });
      const file = { path: 'changing.bin', hashes: [], platformUrl: url };
      const archived = await archive.process(archivingJob([file], { strategy: 'archiveorg-file' }));

      assert.equal(archived.status, status);
      assert.match(archived.message ?? '', status === 'success' ? /^$/ : /changing\.bin changed .* try again/);
      assert.equal(served.platforms.requests.length, 2);
    });
  }

  it('begins no further file after a failure (D25)', async () => {
    const files = Array.from({ length: 60 }, (_, at) => {
      return served.file({ name: `${at}`, ...(at === 0 && { fault: { name: 'missing' } as const }) });
    });
    const archived = await archive.process(archivingJob(files, { strategy: 'archiveorg-fileset' }));

    const statuses = archived.files.map(({ status }) => status);
    assert.equal(statuses[0], 'platform-404');
    assert.equal(statuses[59], 'not-tried');
    assert.ok(served.platforms.fileRequests.length < 59);
    assert.equal(archived.files[59]!.size, 1000);
  });

  it('stores a file of which the platform states nothing as unverified', async () => {
    const archived = await archive.process(archivingJob([served.file({ name: 'a.csv' }, UNSTATED)]));

    assert.equal(archived.status, 'success');
    const [file] = archived.files;
    assert.deepEqual([file!.status, file!.size, file!.md5], ['unverified', 1000, hash('md5', contentOf('a.csv'))]);
  });

  it('limits the bytes of all files together', async () => {
    const files = Array.from({ length: 5 }, (_, at) => {
      return served.file({ name: `${at}`, size: 900_000 }, { size: undefined });
    });
    const archived = await archive.process(archivingJob(files, { strategy: 'archiveorg-fileset' }));

    assert.equal(archived.status, 'too-large-size');
    assert.match(archived.message!, /more than 4\.00 MB: raise --dataset-size/);
  });
});
