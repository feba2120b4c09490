import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { packContainer } from '../../src/artifacts/avro/container-writer.ts';
import { documentMetadata } from '../../src/artifacts/avro/document-type.ts';
import { RecordBlocks } from '../../src/records/deliveries/record-blocks.ts';
import { SortedRecords } from '../../src/records/deliveries/sorted-records.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('Records that are sorted while their artifact is written', () => {
  const folder = useTempFolder();
  const parts = () => ({ publishHashes: ['md5'] as const, folder: folder.path });

  /** An artifact of so many records, whose ids descend; each id comes twice. */
  async function* packed(records: number, mime?: string): AsyncGenerator<Uint8Array> {
    async function* blocks() {
      const encoded = new RecordBlocks();
      for (const text of ['first', 'last']) {
        for (let at = records; at > 0; at--) encoded.add(idOf(at), Buffer.from(`${text} ${at} ${'x'.repeat(500)}`));
        yield* encoded.take();
      }
      yield* encoded.end();
    }
    const options = { schema: 'stream.Record.v1', codec: 'zstandard', metadata: documentMetadata(mime) } as const;
    yield* packContainer({ ...options, blocks: blocks(), ownThread: true });
  }
  const idOf = (at: number): string => `id${String(at).padStart(6, '0')}`;
  async function write(sorted: SortedRecords, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    let length = 0;
    for await (const chunk of sorted.copied(bytes, 10_000_000)) length += Buffer.from(chunk).length;
    return length;
  }

  it('are given in the order of their ids, the last one of each, with their hashes, once', async () => {
    const sorted = new SortedRecords('a', parts());
    assert.ok((await write(sorted, packed(20_000))) > 100_000);
    const sort = await sorted.take('a', ['md5']);
    const replaced: number[] = [];
    const rows = [...sort!.sorted((record) => replaced.push(sort!.recordsBefore(record)))];
    assert.deepEqual(
      rows.map(({ key }) => key),
      Array.from({ length: 20_000 }, (_, at) => `/${idOf(at + 1)}`),
    );
    assert.match(rows[0]!.stateAt('a', 1), /"length":507,.*"sha-256":"[0-9a-f]{64}","md5":"[0-9a-f]{32}"/);
    // The first ones, whose ids descend.
    assert.deepEqual(
      replaced,
      Array.from({ length: 20_000 }, (_, at) => 19_999 - at),
    );
    assert.equal(await sorted.take('a', ['md5']), undefined);
    await sort!.close();
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('have the media type that their artifact names, and that of MARC21 without one', async () => {
    for (const mime of [undefined, 'application/marc', 'text/csv']) {
      const sorted = new SortedRecords('a', parts());
      await write(sorted, packed(10, mime));
      const sort = await sorted.take('a', ['md5']);
      const [row] = sort!.sorted(() => {});
      assert.equal(row!.mime, mime ?? 'application/marc');
      assert.equal(JSON.parse(row!.stateAt('a', 1)).mime, row!.mime);
      await sort!.close();
    }
  });

  it('are not given for another artifact, or other hashes', async () => {
    const sorted = new SortedRecords('a', parts());
    await write(sorted, packed(10));
    assert.equal(await sorted.take('b', ['md5']), undefined);
    assert.equal(await sorted.take('a', []), undefined);
    await sorted.close();
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('are not given when they could not be sorted, and the artifact is written all the same', async () => {
    async function* damaged(): AsyncGenerator<Uint8Array> {
      let at = 0;
      for await (const bytes of packed(50_000)) yield ++at > 30 ? Buffer.alloc(bytes.length, 7) : bytes;
    }
    const sorted = new SortedRecords('a', parts());
    assert.ok((await write(sorted, damaged())) > 100_000);
    assert.equal(await sorted.take('a', ['md5']), undefined);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('are given up when writing their artifact fails', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* packed(10);
      throw new Error('the disk is full');
    }
    const sorted = new SortedRecords('a', parts());
    await assert.rejects(write(sorted, broken()), /the disk is full/);
    await sorted.close();
    assert.deepEqual(readdirSync(folder.path), []);
  });
});
