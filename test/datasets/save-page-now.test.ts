import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { DatasetBackend } from '../../src/datasets/archiving.ts';
import { type OpenRemoteBackend, openSavePageNow } from '../../src/datasets/backends/remote/open-remote.ts';
import { SPN_ERRORS, spnErrorOf } from '../../src/datasets/backends/remote/spn-errors.ts';
import { IngestFailure } from '../../src/datasets/ingest-failure.ts';
import { archive, jobOf, LIMITS, PlatformOfFiles, TIMING } from '../support/platform-of-files.ts';
import { SavePageNowServer } from '../support/save-page-now.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('Save Page Now 2 as backend', () => {
  const folder = useTempFolder();
  let spn: SavePageNowServer;
  let platform: PlatformOfFiles;
  let remote: OpenRemoteBackend;
  let backend: DatasetBackend;

  beforeEach(async () => {
    [spn, platform] = await Promise.all([SavePageNowServer.start(), PlatformOfFiles.start()]);
    folder.write('keys', `${spn.keys.access}:${spn.keys.secret}\n`);
    remote = openSavePageNow({
      url: spn.url,
      keysFile: folder.at('keys'),
      limits: LIMITS,
      scratchFolder: folder.path,
      timing: TIMING,
    });
    ({ backend } = remote);
  });
  afterEach(async () => {
    remote.close();
    await Promise.all([spn.close(), platform.close()]);
  });

  const ingest = () => archive(backend, jobOf(platform.dataset()));
  const fails = async (status: string, message: RegExp) => {
    const isIt = (error: unknown) =>
      error instanceof IngestFailure && error.status === status && message.test(error.message);
    await assert.rejects(ingest(), isIt);
  };

  for (const index of ['arrays', 'lines'] as const) {
    it(`captures each file, and hashes what the archive has: an index of ${index} (D08, D09, D26, d6)`, async () => {
      spn.index = index;
      const copies = await ingest();
      const [first] = [...copies.values()];
      assert.deepEqual(first, {
        number: 1,
        size: 5,
        hashes: { md5: hash('md5', 'first'), 'sha-1': hash('sha1', 'first'), 'sha-256': hash('sha256', 'first') },
        mimetype: 'text/plain',
        terminalUrl: platform.urlOf('a.txt'),
        terminalDt: spn.captures[0]!.timestamp,
      });
      assert.deepEqual(
        spn.posted,
        ['a.txt', 'b/c d.csv'].map((path) => platform.urlOf(path)),
      );
    });
  }

  it('requests nothing of the platform that was captured before with the hash that is stated (D30)', async () => {
    await ingest();
    const { length } = platform.requests;
    assert.equal((await ingest()).size, 2);
    assert.equal(platform.requests.length, length);
    platform.files['a.txt'] = 'other';
    await ingest();
    assert.deepEqual(spn.posted.slice(2), [platform.urlOf('a.txt')]);
  });

  it('waits for a capture, and for the index', async () => {
    spn.faults = { pending: 3, staleReads: 4 };
    assert.equal((await ingest()).size, 2);
    assert.equal(spn.posted.length, 2);
  });

  it('follows redirects to the file, and reports no signature (d17)', async () => {
    platform.files.stored = 'first';
    platform.redirects['a.txt'] = `${platform.url}/stored?X-Amz-Signature=abc`;
    const { terminalUrl, hashes } = (await ingest()).get(1)!;
    assert.equal(terminalUrl, platform.urlOf('a.txt'));
    assert.equal(hashes.md5, hash('md5', 'first'));
  });

  it('unpacks a capture in gzip, and compares its digest as it was received', async () => {
    spn.isPacked = true;
    assert.equal((await ingest()).get(1)!.hashes.md5, hash('md5', 'first'));
  });

  it('waits when the sessions of the account are used (d6)', async () => {
    spn.faults = { sessionLimit: 3 };
    assert.equal((await ingest()).size, 2);
    assert.ok(spn.requests.some(({ url }) => url.startsWith('/save/status/user')));
  });

  it('stops when all captures of a day are made', async () => {
    spn.faults = { sessionLimit: 1, isDayOver: true };
    await fails('error-backend', /has made 30000 captures for you today.* try again tomorrow/);
    assert.equal(spn.posted.length, 1);
  });

  it('takes a capture that succeeded although an error was reported, and makes no other', async () => {
    spn.faults = { errors: ['error:browsing-timeout', 'error:not-found'], succeedsAlthough: true };
    assert.equal((await ingest()).size, 2);
    assert.equal(spn.posted.length, 2);
  });

  it('tries a capture again whose job was forgotten, after it has read the index', async () => {
    spn.faults = { forgotten: 1 };
    await ingest();
    assert.equal(spn.posted.length, 2);
    spn.captures.length = 0;
    spn.faults = { status: 502 };
    await ingest();
    assert.equal(spn.posted.length, 5);
  });

  for (const name of SPN_ERRORS) {
    const { status, passes, advice } = spnErrorOf(name);
    it(`says what to do about ${name}, ${passes ? 'after other attempts' : 'at once'} (d7)`, async () => {
      spn.faults = { errors: Array(TIMING.attempts).fill(`error:${name}`) };
      await fails(status, new RegExp(`^Save Page Now did not capture http.*\\(${name}\\): .{20}`));
      assert.equal(spn.posted.length, passes ? TIMING.attempts : 1);
      assert.ok(advice.length > 20);
    });
  }

  it('reads a replay again that broke off, or that has other bytes than the index states', async () => {
    spn.faults = { cutReplays: 1, wrongReplays: 1 };
    assert.equal((await ingest()).get(1)!.size, 5);
    spn.captures.length = 0;
    spn.faults = { wrongReplays: 100 };
    await fails('error-backend', /replays other bytes than its index states/);
  });

  it('takes no old capture of a file without a hash', async () => {
    await spn.capture(platform.urlOf('a.txt'));
    spn.now -= 30 * 24 * 3_600_000;
    const file = { ...platform.file('a.txt'), hashes: [] };
    await archive(backend, jobOf(platform.dataset({ files: [file] })));
    assert.equal(spn.posted.length, 1);
  });

  it('sends keys to Save Page Now alone, and reports no key that is wrong (d6)', async () => {
    await ingest();
    const withKeys = spn.requests.filter(({ authorization }) => authorization !== undefined);
    assert.ok(withKeys.length >= 4);
    assert.ok(withKeys.every(({ url }) => url.startsWith('/save')));
    folder.write('keys', 'wrong:secret-that-leaks');
    platform.files['a.txt'] = 'new';
    await fails('error-backend', /does not accept the keys: check the file of --dataset-archiveorg-keys/);
    folder.write('keys', 'no keys');
    await assert.rejects(ingest(), { code: 'invalid', message: /has no keys: write ACCESS:SECRET into it/ });
  });

  it('follows no redirect with keys, and no redirect to another host (d6)', async () => {
    // What became of the captures is read from the index.
    spn.faults = { redirect: { from: '/save/status', to: `${spn.url}elsewhere` } };
    await ingest();
    assert.ok(!spn.requests.some(({ url }) => url === '/elsewhere'));
    spn.captures.length = 0;
    const { length } = platform.requests;
    spn.faults = { redirect: { from: '/web/', to: platform.urlOf('b/c d.csv') } };
    await fails('error-backend', /redirects to 127.*, which is not followed: set --dataset-web/);
    // Only Save Page Now has requested the file.
    assert.deepEqual(platform.requests.slice(length), ['/a.txt']);
  });

  it('reads a bundle again from a scratch file, and leaves none (D10)', async () => {
    const session = await backend.open(jobOf(platform.dataset()));
    const bundle = { path: 'all.zip', hashes: [], platformUrl: platform.urlOf('a.txt') };
    const { read } = await session.store(bundle, 0, () => {});
    assert.equal(await text(read!(1, 3)), 'irs');
    await session.abandon();
  });

  it('says which setting to correct when there is no Save Page Now', async () => {
    await spn.close();
    await fails('error-backend', /^Save Page Now \(--dataset-web, 127.*\) does not answer: .*correct --dataset-web/);
    spn = await SavePageNowServer.start();
  });
});
