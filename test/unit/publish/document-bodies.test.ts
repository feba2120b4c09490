import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DocumentBodies } from '../../../src/publish/cache/document-bodies.ts';
import { type DocumentRecord, writeDocument } from '../../../src/publish/cache/document-files.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const MB = 1024 * 1024;

describe('The bodies of documents', () => {
  const folder = useTempFolder();
  let bodies: DocumentBodies;
  let written = 0;
  beforeEach(() => {
    bodies = new DocumentBodies();
  });

  /** Writes a document of twice as many bytes. */
  async function write(bytes: number): Promise<{ path: string; record: DocumentRecord; text: string }> {
    written += 1;
    const path = folder.at(`documents/${written}@1-a.json`);
    const text = `${written}0 `.repeat(bytes).slice(0, 2 * bytes);
    const record = await writeDocument(path, Readable.from([text]), { newest: 1, immutable: false });
    return { path, record, text };
  }

  it('of 4 MB and less are read once, also for clients that come at the same time', async () => {
    for (const bytes of [100, 2 * MB]) {
      const { path, record, text } = await write(bytes);
      const opened = await Promise.all([1, 2, 3].map(() => bodies.open(path, record, 'identity')));
      assert.ok(opened.every((body) => Buffer.isBuffer(body) && body === opened[0]));
      assert.equal(String(opened[0]), text);
      assert.equal(await bodies.open(path, record, 'identity'), opened[0]);
      assert.notEqual(await bodies.open(path, record, 'gzip'), opened[0]);
    }
  });

  it('that are larger are read for each client, part by part', async () => {
    const { path, record, text } = await write(3 * MB);
    const body = await bodies.open(path, record, 'identity');
    assert.ok(body instanceof Readable);
    assert.equal(String(await buffer(body)), text);
  });

  it('are streamed while clients hold 64 MB of them, but small ones are not @long', async () => {
    const held: (Readable | Buffer)[] = [];
    for (let number = 0; number < 24; number++) {
      const { path, record } = await write(1.5 * MB);
      const body = await bodies.open(path, record, 'identity');
      if (body instanceof Readable) body.destroy();
      held.push(body);
    }
    assert.deepEqual(
      held.map((body) => Buffer.isBuffer(body)),
      held.map((_body, number) => number < 21),
    );
    const { path, record } = await write(100);
    assert.ok(Buffer.isBuffer(await bodies.open(path, record, 'identity')));
  });

  it('that are used stay in memory when many others are read @long', async () => {
    const { path, record } = await write(100);
    const first = await bodies.open(path, record, 'gzip');
    for (let number = 0; number < 14; number++) {
      const other = await write(1.5 * MB);
      await bodies.open(other.path, other.record, 'identity');
      assert.equal(await bodies.open(path, record, 'gzip'), first);
    }
  });
});
