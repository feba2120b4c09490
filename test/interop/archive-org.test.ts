import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openIas3 } from '../../src/datasets/backends/remote/open-remote.ts';
import { openFetcher } from '../../src/datasets/fetch/open-fetcher.ts';
import { ArchiveOrg } from '../support/archive-org.ts';
import { archive, jobOf, LIMITS, PlatformOfFiles, TIMING } from '../support/platform-of-files.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { itWithWebArchives, PYTHON } from '../support/web-archives.ts';

const METADATA = {
  title: 'Rivers of Zürich',
  creator: ['Ada (1815)', 'Ben'],
  collection: 'opensource',
  mediatype: 'data',
  long_name: "it's*!",
};
const OURS = 'data.example.org_1234_v2';

describe('items of archive.org, with its own client', () => {
  const folder = useTempFolder();
  let org: ArchiveOrg;
  let platform: PlatformOfFiles;
  beforeEach(async () => {
    [org, platform] = await Promise.all([ArchiveOrg.start(), PlatformOfFiles.start()]);
  });
  afterEach(async () => {
    await Promise.all([org.close(), platform.close()]);
  });

  async function client(task: object): Promise<unknown> {
    const script = join(import.meta.dirname, 'archive_org_client.py');
    const env = { PATH: process.env.PATH, HOME: folder.path, http_proxy: org.url };
    const running = promisify(execFile)(PYTHON, ['-W', 'ignore', script], { env, timeout: 60_000 });
    running.child.stdin!.end(`${JSON.stringify({ ...org.keys, ...task })}\n`);
    return JSON.parse((await running).stdout);
  }

  itWithWebArchives('sends what the client sends, and the client reads what we send (d6, d15)', async () => {
    const files = { 'a.txt': platform.files['a.txt']!, 'b/c d.csv': platform.files['b/c d.csv']! };
    for (const [path, text] of Object.entries(files)) folder.write(path, text);
    // Once overloaded: it asks for the limit, as we do.
    org.faults = { slowDown: 1, overLimit: 1 };
    const paths = Object.fromEntries(Object.keys(files).map((path) => [path, folder.at(path)]));
    assert.deepEqual(await client({ do: 'upload', item: 'theirs-1', files: paths, metadata: METADATA }), [200, 200]);
    assert.ok(org.requestsOf('GET').some((url) => url.includes('check_limit=1')));
    const theirs = org.items.get('theirs-1')!;
    assert.deepEqual(theirs.metadata, { identifier: 'theirs-1', ...METADATA });

    await storeOurs();
    const ours = org.items.get(OURS)!;
    const { 'tidemark-dataset': _, ...metadata } = ours.metadata;
    assert.deepEqual(metadata, { ...METADATA, identifier: OURS });
    assert.deepEqual(bytesOf(ours.files), bytesOf(theirs.files));
    assert.deepEqual(
      headersOf(OURS, /^x-archive-meta|-(?:md5|derive|bucket)$/),
      headersOf('theirs-1', /^x-archive-meta|-(?:md5|derive|bucket)$/),
    );

    const read = await client({ do: 'read', item: OURS, folder: folder.at('read') });
    assert.deepEqual(read, {
      metadata: ours.metadata,
      files: Object.fromEntries(
        Object.entries(files).map(([path, text]) => [path, [text.length, hash('md5', text), hash('sha1', text)]]),
      ),
    });
    assert.equal(readFileSync(folder.at('read/b/c d.csv'), 'utf8'), files['b/c d.csv']);
  });

  async function storeOurs(): Promise<void> {
    folder.write('keys', `${org.keys.access}:${org.keys.secret}`);
    const fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1 });
    const { backend, close } = openIas3({
      url: org.url,
      metadataUrl: org.url,
      keysFile: folder.at('keys'),
      fetcher,
      limits: LIMITS,
      scratchFolder: folder.path,
      timing: TIMING,
    });
    try {
      await archive(backend, jobOf(platform.dataset({ archiveorgMetadata: METADATA })));
    } finally {
      close();
      fetcher.close();
    }
  }

  /** Of the request that made an item, decoded. */
  function headersOf(item: string, names: RegExp): object {
    const made = org.requests.filter(({ method, url }) => method === 'PUT' && url.startsWith(`/${item}/`));
    const [headers] = made.map((request) => request.headers).slice(-2);
    const all = Object.entries(headers!).filter(([name]) => names.test(name) && !/tidemark/.test(name));
    return Object.fromEntries(all.map(([name, value]) => [name, decodeURIComponent(String(value))]));
  }
});

const bytesOf = (files: ReadonlyMap<string, { readonly bytes: Buffer }>) =>
  [...files].map(([path, { bytes }]) => [path, bytes.toString()]);
