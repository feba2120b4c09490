import assert from 'node:assert/strict';
import { deflateRawSync, zstdCompressSync } from 'node:zlib';
import { type SchemaId, schemaText } from '../../../src/artifacts/avro/avro-schemas.ts';
import { decodeBlock, readHeader } from '../../../src/artifacts/avro/container-reader.ts';
import type { BlockPlace } from '../../../src/artifacts/avro/container-writer.ts';
import { encodeLong } from '../../../src/artifacts/avro/long.ts';
import { readChunks, unpackChunk } from '../../../src/artifacts/avro/packed-blocks.ts';
import {
  all,
  chunks,
  decodeFile,
  encodeFile,
  originalRecords,
  rawBlock,
  rawFile,
  text,
} from '../../support/avro-files.ts';

const SCHEMA = 'MAP.4_0.MAPRecord.v1';
const HEADER = { 'avro.schema': schemaText(SCHEMA), 'avro.codec': 'null' };
const RECORD = Buffer.concat([text('id'), text('document')]);

function refuses(bytes: Uint8Array, message: string | RegExp, schema: SchemaId = SCHEMA): Promise<void> {
  return assert.rejects(decodeFile(schema, bytes), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'invalid');
    if (typeof message === 'string') assert.equal(error.message, `records.avro: ${message}`);
    else assert.match(error.message, message);
    return true;
  });
}

describe('damaged Avro files', () => {
  it('reads the file that the others are made of', async () => {
    const records = await decodeFile(SCHEMA, rawFile(HEADER, rawBlock(2, Buffer.concat([RECORD, RECORD]))));
    assert.deepEqual(records, [
      { id: 'id', document: 'document' },
      { id: 'id', document: 'document' },
    ]);
  });

  it('are refused wherever they are cut off, but between two blocks', async () => {
    const places: BlockPlace[] = [];
    const onBlock = (place: BlockPlace) => places.push(place);
    const records = originalRecords(600);
    const file = await encodeFile('OriginalRecord.v1', records, { onBlock });
    const [first, second] = places as [BlockPlace, BlockPlace];
    const ends = [first.offset, ...places.map(({ offset, length }) => offset + length)];
    const cuts = [...Array(first.offset + 30).keys(), ...[-17, -16, -1, 0, 1, 2, 3].map((by) => second.offset + by)];
    for (const cut of [...cuts, file.length - 1]) {
      const read = decodeFile('OriginalRecord.v1', file.subarray(0, cut));
      if (ends.includes(cut)) assert.ok((await read).length < records.length);
      else await assert.rejects(read, /^TidemarkError: records\.avro: (its header|the block at byte \d+) is cut off$/);
    }
  });

  it('are refused with a wrong sync marker, with the block in the error', async () => {
    const other = Buffer.from('another 16 bytes');
    const file = rawFile(HEADER, rawBlock(1, RECORD), rawBlock(1, RECORD, other), rawBlock(1, RECORD));
    const offset = rawFile(HEADER, rawBlock(1, RECORD)).length;
    await refuses(file, `the block at byte ${offset} does not end with the file's sync marker`);
  });

  it('are refused with a codec that is not known', async () => {
    const file = rawFile({ ...HEADER, 'avro.codec': 'snappy' }, rawBlock(1, RECORD));
    await refuses(file, 'its codec is "snappy", and not null or deflate or zstandard');
  });

  it('have no codec when none is named', async () => {
    const { 'avro.codec': _, ...header } = HEADER;
    assert.equal((await decodeFile(SCHEMA, rawFile(header, rawBlock(1, RECORD)))).length, 1);
  });

  it('are refused when a document is not UTF-8', async () => {
    for (const wrong of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      const record = Buffer.concat([text('id'), text(Buffer.from([0x61, ...wrong]))]);
      await refuses(
        rawFile(HEADER, rawBlock(2, Buffer.concat([RECORD, record]))),
        /record 2 has a text that is not UTF-8$/,
      );
    }
  });

  it('may hold U+FFFD itself', async () => {
    const record = Buffer.concat([text('\ufffd'), text('a\ufffdb')]);
    assert.deepEqual(await decodeFile(SCHEMA, rawFile(HEADER, rawBlock(1, record))), [
      { id: '\ufffd', document: 'a\ufffdb' },
    ]);
  });

  it('are refused when a block does not hold what it says', async () => {
    const offset = rawFile(HEADER).length;
    const compressed = deflateRawSync(RECORD);
    const symbol = Buffer.concat([text('a'), text('b'), text('c'), encodeLong(3)]);
    const deflated = { ...HEADER, 'avro.codec': 'deflate' };
    const original = { ...HEADER, 'avro.schema': schemaText('OriginalRecord.v1') };
    const at = `the block at byte ${offset}`;
    await refuses(rawFile(HEADER, rawBlock(2, RECORD)), `${at} holds only 1 of its 2 records`);
    await refuses(rawFile(HEADER, rawBlock(1, Buffer.concat([RECORD, RECORD]))), `${at} goes on after its last record`);
    await refuses(rawFile(HEADER, rawBlock(1, RECORD.subarray(1))), `${at} holds only 0 of its 1 records`);
    await refuses(rawFile(deflated, rawBlock(1, RECORD)), /cannot be unpacked/);
    await refuses(rawFile(deflated, rawBlock(1, compressed.subarray(0, -3))), /cannot be unpacked/);
    await refuses(
      rawFile(original, rawBlock(1, symbol)),
      /is damaged: record 1 cannot be read \(invalid MimeType enum index: 3\)$/,
      'OriginalRecord.v1',
    );
  });

  it('take no memory for the sizes that they claim', async () => {
    const huge = encodeLong(2 ** 40);
    const tiny = Buffer.from([1]);
    await refuses(Buffer.concat([rawFile(HEADER), encodeLong(1), huge]), /has more than 64 MB$/);
    await refuses(Buffer.concat([rawFile(HEADER), encodeLong(1), tiny]), /has a negative length$/);
    await refuses(Buffer.concat([rawFile(HEADER), tiny, encodeLong(1)]), /has a negative length$/);
    await refuses(rawFile(HEADER, rawBlock(2 ** 40, RECORD)), /holds only 1 of its 1099511627776 records$/);
    await refuses(Buffer.concat([rawFile(HEADER), Buffer.alloc(40, 0xff)]), /has more than|is cut off/);
    await refuses(Buffer.concat([Buffer.from('Obj\u0001'), encodeLong(2 ** 50)]), 'its header is cut off');
    await refuses(Buffer.concat([Buffer.from('Obj\u0001'), encodeLong(1), huge]), 'its header is cut off');
    await refuses(
      Buffer.concat([Buffer.from('Obj\u0001'), encodeLong(1), huge, Buffer.alloc(3_000_000)]),
      'its header has more than 1048576 bytes',
    );
    const bomb = rawFile({ ...HEADER, 'avro.codec': 'deflate' }, rawBlock(1, deflateRawSync(Buffer.alloc(50_000_000))));
    await refuses(bomb, /holds only 0 of its 1 records$|goes on after its last record$/);
  });

  it('are refused when a block has more than 64 MB unpacked, whatever codec it has, with the block in the error', async () => {
    const size = 65 * 1024 * 1024;
    const record = Buffer.concat([text('id'), encodeLong(size), Buffer.alloc(size, 0x20)]);
    for (const [codec, packed] of [
      ['deflate', deflateRawSync(record, { level: 1 })],
      ['zstandard', zstdCompressSync(record)],
    ] as const) {
      const header = { ...HEADER, 'avro.codec': codec };
      const first = rawBlock(1, codec === 'deflate' ? deflateRawSync(RECORD) : zstdCompressSync(RECORD));
      const offset = rawFile(header, first).length;
      const message = `the block at byte ${offset} has more than 64 MB when it is unpacked: have its writer make smaller blocks`;
      const file = rawFile(header, first, rawBlock(1, packed));
      await refuses(file, message);
      const packedChunks = await all(readChunks(chunks(file), { schema: SCHEMA, name: 'records.avro' }));
      assert.throws(() => [...unpackChunk(packedChunks[0]!)], { code: 'invalid', message: `records.avro: ${message}` });
    }
  });

  it('are refused when they are something else', async () => {
    await refuses(Buffer.from('PAR1 and so on'), 'it does not begin as an Avro file does');
    await refuses(Buffer.from(''), 'its header is cut off');
    await refuses(rawFile({}), 'its header has no schema');
    await refuses(rawFile({ 'avro.schema': '{"type":' }), 'the schema in its header is not JSON');
    for (const schema of ['null', '[]', '"string"', '{"type":"record"}', '7']) {
      await refuses(rawFile({ 'avro.schema': schema }), 'the schema in its header is not a record with a name');
    }
  });

  it('are refused when a block is read by a wrong place', async () => {
    const file = await encodeFile(SCHEMA, [{ id: 'a', document: 'b' }], { codec: 'null' });
    const header = await readHeader(chunks(file), { schema: SCHEMA, name: 'records.avro' });
    const { length } = header;
    const wrong = [
      [file.subarray(length, -1), length, /is cut off$/],
      [Buffer.concat([file.subarray(length), Buffer.alloc(1)]), length, /has 22 bytes, not 23$/],
      [file.subarray(length + 1), length + 1, /cut off$|sync marker$|negative length$/],
      [Buffer.alloc(0), file.length, /is cut off$/],
    ] as const;
    for (const [bytes, offset, message] of wrong) {
      await assert.rejects(decodeBlock(bytes, header, offset), (error: Error) => {
        assert.ok(error.message.startsWith(`records.avro: the block at byte ${offset} `));
        assert.match(error.message, message);
        return true;
      });
    }
  });
});
