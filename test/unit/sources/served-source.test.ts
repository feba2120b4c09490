import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import type { ContentRoot } from '../../../src/sources/content-root.ts';
import { openFile } from '../../../src/sources/files/open-file.ts';
import { openRoot } from '../../../src/sources/open-contents.ts';
import { openServed, type SourceParts } from '../../../src/sources/open-source.ts';
import { openRecord } from '../../../src/sources/records/artifact/open-record.ts';
import type { OpenedBytes } from '../../../src/sources/served-source.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const GET = { method: 'GET', isWhole: true } as const;
const MIME = 'text/plain';

describe('A file that is opened for a response', () => {
  const folder = useTempFolder();
  let root: ContentRoot;
  beforeEach(() => {
    root = openRoot({ root: folder.path, exclude: [] });
  });

  const open = async (key: string) =>
    (await openFile({ set: {}, root }, { key, state: { mime: MIME } }, GET)) as OpenedBytes;

  async function bytesOf(opened: OpenedBytes, start: number, length: number): Promise<string> {
    const read = await opened.read({ start, length });
    if (Buffer.isBuffer(read)) return read.toString();
    return text(read instanceof Readable ? read : read.stream());
  }

  it('has the type of its state, and else its own figures', async () => {
    const content = 'x'.repeat(300_000);
    folder.write('a b', content, 1_600_000_000);
    const opened = await open('/a%20b');
    assert.deepEqual([opened.mime, opened.length, opened.lastModified], [MIME, content.length, 1_600_000_000]);
    assert.equal(opened.dateTellsVersions, true);
    await opened.close();
  });

  it('is read in part, also when its folder is known to be on a disk of this machine', async () => {
    folder.write('a', '0123456789');
    for (const _ of [1, 2, 3]) assert.equal(await bytesOf(await open('/a'), 2, 3), '234');
  });

  it('may change again within the second of its date, so that its date distinguishes no versions', async () => {
    folder.write('a', 'new');
    const opened = await open('/a');
    assert.equal(opened.dateTellsVersions, false);
    await opened.close();
  });

  it('does not exist for a key that is not a path', async () => {
    for (const key of ['http://example.org/a', '/a?b', '/missing']) {
      await assert.rejects(open(key), { code: 'not-found' }, key);
    }
  });
});

describe('A record that is opened for a response', () => {
  const records = { read: () => assert.fail('nothing is read') };
  const place = { artifact: 'a.avro', offset: 0, length: 1, position: 0 };
  const hashes = { 'sha-256': 'ab' };

  it('is described by its state alone', () => {
    const state = { record: place, hashes, length: 3, mime: MIME, lastmod: 5 };
    const { length, mime, tag, lastModified } = openRecord({ slug: 'cdl' }, { key: '/a', state }, records);
    assert.deepEqual([length, mime, tag, lastModified], [3, MIME, 'ab', 5]);
  });

  it('is unavailable when its state does not say where it is, or what it is', () => {
    for (const state of [
      { hashes, length: 3 },
      { record: place, length: 3 },
      { record: place, hashes },
    ]) {
      assert.throws(() => openRecord({ slug: 'cdl' }, { key: '/a', state }, records), {
        code: 'unavailable',
        message: /run "tidemark scan cdl --rehash"/,
      });
    }
  });
});

describe('A set whose resources are posted', () => {
  it('has no source that serves them', () => {
    assert.equal(openServed({ origin: { kind: 'posted' } } as ResourceSet, {} as SourceParts), undefined);
  });
});
