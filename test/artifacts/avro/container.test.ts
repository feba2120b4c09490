import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { availableCodecs, CODECS } from '../../../src/artifacts/avro/codecs.ts';
import { decodeBlock, readContainer, readHeader } from '../../../src/artifacts/avro/container-reader.ts';
import { type BlockPlace, encodeContainer } from '../../../src/artifacts/avro/container-writer.ts';
import { MIMETYPES } from '../../../src/artifacts/avro/mimetypes.ts';
import { all, batches, chunks, decodeFile, encodeFile, originalRecords } from '../../support/avro-files.ts';

describe('Avro container files', () => {
  for (const codec of CODECS) {
    it(`A12: returns the exact bytes of records, with the codec ${codec}`, async () => {
      const records = originalRecords(5_000);
      const file = await encodeFile('OriginalRecord.v1', records, { codec });
      assert.deepEqual(await decodeFile('OriginalRecord.v1', file), records);
    });

    it(`reads one block by its place, with the codec ${codec}`, async () => {
      const records = originalRecords(3_000);
      const places: BlockPlace[] = [];
      const file = await encodeFile('OriginalRecord.v1', records, { codec, onBlock: (place) => places.push(place) });
      const header = await readHeader(chunks(file.subarray(0, places[0]!.offset)), { name: 'a file' });
      assert.equal(header.length, places[0]!.offset);
      let before = 0;
      for (const { offset, length, records: count } of places) {
        const block = await decodeBlock(file.subarray(offset, offset + length), header, offset);
        assert.deepEqual(block, records.slice(before, before + count));
        before += count;
      }
      assert.equal(before, records.length);
      assert.equal(places.at(-1)!.offset + places.at(-1)!.length, file.length);
    });
  }

  it('supports every codec that it names, on this version of Node', () => {
    assert.deepEqual(availableCodecs(), CODECS);
  });

  it('returns the same places of blocks to readers as to its writer', async () => {
    const written: BlockPlace[] = [];
    const file = await encodeFile('OriginalRecord.v1', originalRecords(3_000), {
      onBlock: (place) => written.push(place),
    });
    const blocks = await all(readContainer(chunks(file), { schema: 'OriginalRecord.v1', name: 'a file' }));
    assert.deepEqual(
      blocks.map(({ place }) => place),
      written,
    );
  });

  it('A07: leaves the JSON text of an index record as it is', async () => {
    const document = '{"id": "a", "n": 1.0, "n": 2,\n "text": "\\u00fc\u2028"} ';
    const file = await encodeFile('MAP.3_1.IndexRecord.v1', [{ id: 'a', document }]);
    assert.deepEqual(await decodeFile('MAP.3_1.IndexRecord.v1', file), [{ id: 'a', document }]);
  });

  it('A14, A16: keeps mapped, enriched and index records', async () => {
    const records = [{ id: 'http://example.org/ä', document: '@prefix edm: <http://www.europeana.eu/schemas/edm/> .' }];
    for (const schema of ['MAP.4_0.MAPRecord.v1', 'MAP.4_0.IndexRecord.v1'] as const) {
      assert.deepEqual(await decodeFile(schema, await encodeFile(schema, records)), records);
    }
  });

  it('keeps deleted records with the time at which that was found', async () => {
    const records = [{ id: 'a', provider: 'cdl', deleted: Date.parse('2026-11-21T10:00:00.123Z') }];
    assert.deepEqual(await decodeFile('DeletedRecord.v1', await encodeFile('DeletedRecord.v1', records)), records);
  });

  it('keeps no records, too', async () => {
    const file = await encodeFile('OriginalRecord.v1', []);
    assert.deepEqual(await decodeFile('OriginalRecord.v1', file), []);
    assert.equal((await readHeader(chunks(file, 1), { name: 'a file' })).length, file.length);
  });

  it('gives a large record a block of its own', async () => {
    const [small] = originalRecords(1);
    const large = { ...small!, id: 'large', document: 'ü'.repeat(5_000_000) };
    const counts: number[] = [];
    const onBlock = ({ records }: BlockPlace) => counts.push(records);
    const file = await encodeFile('OriginalRecord.v1', [small!, small!, large, small!], { onBlock });
    assert.deepEqual(counts, [2, 1, 1]);
    assert.deepEqual(await decodeFile('OriginalRecord.v1', file), [small, small, large, small]);
  });

  it('reads whatever was written, in chunks of any length', async () => {
    const original = fc.record({
      id: fc.string({ unit: 'binary' }),
      provider: fc.string(),
      document: fc.string({ unit: 'binary', maxLength: 60 }),
      mimetype: fc.constantFrom(...MIMETYPES),
    });
    const anything = [
      fc.array(original, { maxLength: 12 }),
      fc.constantFrom(...CODECS),
      fc.integer({ min: 1, max: 99 }),
    ] as const;
    await fc.assert(
      fc.asyncProperty(...anything, async (records, codec, chunk) => {
        const file = await encodeFile('OriginalRecord.v1', records, { codec });
        assert.deepEqual(
          await decodeFile('OriginalRecord.v1', file, chunk),
          records.map((record) => ({ ...record })),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('has its schema and the given metadata in the header', async () => {
    const file = await encodeFile('MAP.4_0.IndexRecord.v1', [], { metadata: { 'a key': 'a välue' }, codec: 'null' });
    const { metadata, schema, codec } = await readHeader(chunks(file), { name: 'a file' });
    assert.equal(metadata.get('a key'), 'a välue');
    assert.equal(metadata.get('schema.name'), 'la.dp.avro.MAP.4_0.IndexRecord.v1');
    assert.deepEqual({ schema, codec }, { schema: 'MAP.4_0.IndexRecord.v1', codec: 'null' });
  });

  it('refuses a record that cannot be written, and names it and the field', async () => {
    const [record] = originalRecords(1);
    const problems = [
      [{ ...record, id: undefined }, 'record 1: it has no id'],
      [{ ...record, document: 7 }, 'record 1 (id "oai:example.org:0"): its document is 7, and not text'],
      [
        { ...record, document: 'half \ud83d' },
        'record 1 (id "oai:example.org:0"): its document holds half of a surrogate pair, which cannot be written as UTF-8',
      ],
      [null, 'record 1: it is not a record'],
    ] as const;
    for (const [wrong, message] of problems) {
      await assert.rejects(encodeFile('OriginalRecord.v1', [wrong as never]), { code: 'invalid', message });
    }
  });

  it('ends its source when its reader stops early', async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield originalRecords(100);
      } finally {
        ended = true;
      }
    }
    for await (const _ of encodeContainer({ schema: 'OriginalRecord.v1', records: endless() })) break;
    let bytes = 0;
    const writing = encodeContainer({ schema: 'OriginalRecord.v1', records: endless() });
    for await (const chunk of writing) {
      bytes += chunk.length;
      if (bytes > 100_000) break;
    }
    assert.equal(ended, true);

    ended = false;
    const again = encodeContainer({ schema: 'OriginalRecord.v1', records: endless() });
    for await (const _ of readContainer(again, { schema: 'OriginalRecord.v1', name: 'a file' })) break;
    assert.equal(ended, true);
  });

  it('takes records only as fast as its bytes are taken', async () => {
    let given = 0;
    async function* counted() {
      for (; given < 1_000_000; given += 1_000) yield originalRecords(1_000);
    }
    const reader = encodeContainer({ schema: 'OriginalRecord.v1', records: counted(), codec: 'null' });
    for (let taken = 0; taken < 3; taken++) await reader.next();
    await wait(30);
    assert.ok(given < 10_000, `${given} records were taken for two blocks`);
    await reader.return(undefined);
  });

  it('passes on what the source of records throws', async () => {
    async function* failing() {
      yield* batches(originalRecords(10));
      throw new Error('the source has failed');
    }
    const writing = encodeContainer({ schema: 'OriginalRecord.v1', records: failing() });
    await assert.rejects(all(writing), /the source has failed/);
  });
});
