import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { DatasetBackend } from '../../src/datasets/archiving.ts';
import { type OpenRemoteBackend, openIas3 } from '../../src/datasets/backends/remote/open-remote.ts';
import type { DatasetFetcher } from '../../src/datasets/fetch/dataset-fetcher.ts';
import { openFetcher } from '../../src/datasets/fetch/open-fetcher.ts';
import { IngestFailure } from '../../src/datasets/ingest-failure.ts';
import type { PlatformDataset } from '../../src/datasets/platform.ts';
import { ArchiveOrg } from '../support/archive-org.ts';
import { archive, jobOf, LIMITS, PlatformOfFiles, TIMING } from '../support/platform-of-files.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const ITEM = 'data.example.org_1234_v2';

describe('IAS3 as backend', () => {
  const folder = useTempFolder();
  let org: ArchiveOrg;
  let platform: PlatformOfFiles;
  let fetcher: DatasetFetcher;
  let remote: OpenRemoteBackend;
  let backend: DatasetBackend;

  beforeEach(async () => {
    [org, platform] = await Promise.all([ArchiveOrg.start(), PlatformOfFiles.start()]);
    folder.write('keys', `${org.keys.access}:${org.keys.secret}\n`);
    fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1 });
    openBackend();
  });
  afterEach(async () => {
    remote.close();
    fetcher.close();
    await Promise.all([org.close(), platform.close()]);
  });

  function openBackend(timing = TIMING): void {
    remote?.close();
    remote = openIas3({
      url: org.url,
      metadataUrl: org.url,
      keysFile: folder.at('keys'),
      fetcher,
      limits: LIMITS,
      scratchFolder: folder.path,
      timing,
    });
    ({ backend } = remote);
  }

  const ingest = (more: Partial<PlatformDataset> = {}) => archive(backend, jobOf(platform.dataset(more)));
  const fails = async (status: string, message: RegExp, more: Partial<PlatformDataset> = {}) => {
    const isIt = (error: unknown) =>
      error instanceof IngestFailure && error.status === status && message.test(error.message);
    await assert.rejects(ingest(more), isIt);
  };

  it('makes an item with metadata and files, as sandcrawler does (D12, d6, d15)', async () => {
    const copies = await ingest();
    const [, second] = [...copies.values()];
    assert.deepEqual(
      { ...second, terminalDt: '' },
      {
        number: 2,
        size: 8,
        hashes: Object.fromEntries(['md5', 'sha-1', 'sha-256'].map((name) => [name, hashOf(name, '1,2\n3,4\n')])),
        mimetype: 'text/plain',
        terminalUrl: `${org.url}download/${ITEM}/b/c%20d.csv`,
        terminalDt: '',
      },
    );
    assert.equal(org.textOf(ITEM, 'b/c d.csv'), '1,2\n3,4\n');
    const { collection, mediatype, title, creator } = org.items.get(ITEM)!.metadata;
    assert.deepEqual(
      [collection, mediatype, title, creator],
      ['opensource', 'data', 'Rivers of Zürich', ['Ada', 'Ben']],
    );
    const put = org.requests.find(({ method }) => method === 'PUT')!.headers;
    assert.equal(put['x-archive-queue-derive'], '0');
    assert.equal(put['x-archive-size-hint'], '13');
    assert.equal(put['content-md5'], hash('md5', 'first'));
  });

  it('sends nothing that differs from what the platform states (D26)', async () => {
    const files = [{ ...platform.file('a.txt'), hashes: [{ algorithm: 'md5', digest: hash('md5', 'other') }] }];
    const copy = (await ingest({ files })).get(1)!;
    assert.equal(copy.hashes.md5, hash('md5', 'first'));
    assert.deepEqual([org.requestsOf('PUT'), [...org.items]], [[], []]);
    await archive(backend, jobOf(platform.dataset({ files }), { acceptMismatch: true }));
    assert.equal(org.textOf(ITEM, 'a.txt'), 'first');
  });

  it('goes on where an attempt ended: what the item lists is neither fetched nor sent again (D30)', async () => {
    const begun = await backend.open(jobOf(platform.dataset()));
    await begun.store(platform.file('a.txt'), 1, () => {});
    await begun.abandon();
    await ingest();
    assert.deepEqual(platform.requests, ['/a.txt', '/b/c%20d.csv']);
    assert.equal(org.requestsOf('PUT').length, 2);
    assert.equal((await ingest()).get(1)!.hashes['sha-256'], hash('sha256', 'first'));
    assert.equal(org.requestsOf('PUT').length, 2);
  });

  it('never writes to an item of something else (d15)', async () => {
    for (const others of [{}, { 'tidemark-dataset': '0'.repeat(32) }]) {
      org.add(ITEM, { title: 'Of others', ...others }, { 'a.txt': 'theirs' });
      await fails('item-conflict', /has an item data\.example\.org_1234_v2 already, of something else/);
    }
    assert.deepEqual(org.requestsOf('PUT'), []);
    org.add(ITEM, { dark: 'yes' });
    await fails('item-conflict', /was removed from archive\.org \(it is dark\)/);
  });

  it('takes an item of archive.org itself as the copy, and sends nothing (d15, D52)', async () => {
    org.add('CAT_DATASET', { title: 'Cats' }, { 'cats.zip': 'meow', 'odd/ø.txt': 'x' });
    const { host } = new URL(org.url);
    const file = { path: 'cats.zip', size: 4, hashes: [{ algorithm: 'sha1', digest: hash('sha1', 'meow') }] };
    const item = { isArchiveorgItem: true, platformDomain: host, platformId: 'CAT_DATASET' };
    folder.remove('keys');
    const copies = await ingest({ ...item, files: [file] });
    assert.deepEqual(copies.get(1), {
      number: 1,
      terminalUrl: `${org.url}download/CAT_DATASET/cats.zip`,
      size: 4,
      hashes: { md5: hash('md5', 'meow'), 'sha-1': hash('sha1', 'meow') },
    });
    await fails('error-backend', /says of cats\.zip in the item CAT_DATASET something else/, {
      ...item,
      files: [{ ...file, size: 5 }],
    });
    assert.deepEqual(org.requestsOf('PUT'), []);
  });

  it('waits when archive.org is overloaded, until it says that it is not', async () => {
    org.faults = { slowDown: 1, overLimit: 2 };
    await ingest();
    assert.equal(org.requests.filter(({ url }) => url.includes('check_limit=1')).length, 3);
    org.faults = { slowDown: 100 };
    platform.files['a.txt'] = 'new';
    await fails(
      'error-backend',
      /IAS3 .* did not take a\.txt .* SlowDown Please reduce your request rate.*try again later/,
    );
  });

  it('sends a file again whose answer was lost, or that was cut off', async () => {
    org.faults = { lostAnswers: 1, cutRequests: 1 };
    await ingest();
    assert.equal(org.textOf(ITEM, 'a.txt'), 'first');
    assert.equal(org.requestsOf('PUT').length, 4);
  });

  it('waits until the item lists what was sent, for a time', async () => {
    org.faults = { staleReads: 3 };
    assert.equal((await ingest()).size, 2);
    assert.equal(org.requestsOf('GET').length, 5);
    openBackend({ ...TIMING, timeoutMs: 30 });
    org.faults = { damagedPath: 'a.txt' };
    platform.files['a.txt'] = 'new';
    await fails('error-backend', /does not list a\.txt with its md5 after 0 minutes: try again later/);
  });

  it('stores a file at another path whose name archive.org has reserved', async () => {
    Object.assign(platform.files, { name: 'n', _name: 'm', [`${ITEM}_meta.xml`]: '<x/>' });
    const copies = await ingest();
    assert.deepEqual([org.textOf(ITEM, '__name'), org.textOf(ITEM, `_${ITEM}_meta.xml`)], ['n', '<x/>']);
    assert.ok(copies.get(3)!.terminalUrl!.endsWith('/__name'));
  });

  it('sends keys to IAS3 alone, and never after a redirect', async () => {
    await ingest();
    assert.ok(
      org.requests.every(({ method, headers }) => (method === 'PUT') === (headers.authorization !== undefined)),
    );
    org.faults = { redirectTo: `${platform.url}/elsewhere` };
    platform.files['a.txt'] = 'new';
    await fails('error-backend', /redirects to 127.*; keys are not sent there: set --dataset-archiveorg to it/);
    assert.ok(!platform.requests.includes('/elsewhere'));
  });

  it('says what is wrong with keys, without them', async () => {
    folder.write('keys', 'wrong:secret-that-leaks');
    await assert.rejects(ingest(), (error: Error) => {
      assert.match(error.message, /InvalidAccessKeyId.* Check the keys in the file of --dataset-archiveorg-keys/);
      return !/secret-that-leaks|wrong/.test(error.message);
    });
    folder.write('keys', 'ACCESS SECRET');
    await assert.rejects(ingest(), { code: 'invalid', message: /write ACCESS:SECRET into it/ });
    folder.remove('keys');
    await assert.rejects(ingest(), { code: 'invalid', message: /keys cannot be read/ });
  });

  it('gives up what archive.org takes for spam', async () => {
    org.faults = { words: 'Your upload appears to be spam.' };
    await fails('error-backend', /takes a\.txt of the item .* for spam: ask its staff/);
    assert.equal(org.requestsOf('PUT').length, 1);
  });
});

const hashOf = (name: string, text: string) => hash(name.replace('-', ''), text);
