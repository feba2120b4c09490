import assert from 'node:assert/strict';
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../../../../src/records/forms/marc/read-marcxml.ts';
import type { ReadRecord } from '../../../../../src/records/forms/marc/read-record.ts';
import { Catalogue, type CatalogueEntry, entriesFrom, writeCatalogueFile } from '../../../../support/marc-catalogue.ts';
import { encodeSample } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, withoutLengths } from '../../../../support/read-marc.ts';
import { useTempFolder } from '../../../../support/temp-folder.ts';

const catalogue = new Catalogue({ seed: 7 });

describe('The catalogue that tests and benchmarks read', () => {
  const folder = useTempFolder();

  it('has the same records in both formats, of the size that was asked for @long', async () => {
    const entries: readonly CatalogueEntry[] = [
      ...entriesFrom(0, 500),
      { number: 3, version: 1 },
      { number: 4, deleted: true },
    ];
    await writeCatalogueFile({ catalogue, format: 'marc21', entries, file: folder.at('all.mrc') });
    await writeCatalogueFile({ catalogue, format: 'marcxml', entries, file: folder.at('all.xml.gz'), gzip: true });
    const expected = entries.map((entry) => {
      const { leader, fields } = catalogue.record(entry);
      return { id: catalogue.idOf(entry.number), deleted: entry.deleted ?? false, leader, fields };
    });

    const read = {
      marc21: readMarc21(createReadStream(folder.at('all.mrc'))),
      marcxml: readMarcXml(createReadStream(folder.at('all.xml.gz')).pipe(createGunzip())),
    };
    for (const batches of Object.values(read)) {
      const all: ReadRecord[] = [];
      for await (const batch of batches) all.push(...batch);
      assert.deepEqual(
        all.filter(isRecord).map((record) => ({ id: record.id, deleted: record.deleted, ...contentOf(record) })),
        expected.map(({ leader, ...others }) => ({ ...others, leader: withoutLengths(leader) })),
      );
    }
    const average = statSync(folder.at('all.mrc')).size / entries.length;
    assert.ok(average > 1_400 && average < 1_600, `${average} bytes`);
  });

  it('copies the bytes that its records have when they are encoded as a whole', () => {
    for (const entry of entriesFrom(0, 200, 2)) {
      assert.deepEqual(catalogue.marc21(entry), encodeSample(catalogue.record(entry)));
    }
  });

  it('has records that stay the same, with other versions that differ in a note', () => {
    const again = new Catalogue({ seed: 7 });
    assert.deepEqual(again.marc21({ number: 5 }), catalogue.marc21({ number: 5 }));
    const [before, after] = [catalogue.record({ number: 5 }), catalogue.record({ number: 5, version: 1 })];
    const changed = before.fields.filter((field, at) => field !== after.fields[at]).map(({ tag }) => tag);
    assert.deepEqual(changed, ['001', '005', '999']);
    assert.notDeepEqual(before.fields.at(-1), after.fields.at(-1));
    assert.deepEqual(before.fields[0], after.fields[0]);
    assert.notDeepEqual(new Catalogue({ seed: 8 }).marc21({ number: 5 }), catalogue.marc21({ number: 5 }));
  });

  it('has text of every plane of Unicode, marks, and right-to-left', () => {
    const text = Array.from(entriesFrom(0, 2_000), (entry) => catalogue.marcxml(entry).toString()).join('');
    const scripts = [/[\u{10000}-\u{1ffff}]/u, /[\u{20000}-\u{10ffff}]/u, /\p{M}/u, /\p{Script=Hebrew}/u];
    for (const script of [...scripts, /\p{Script=Arabic}/u, /\p{Script=Han}/u, /&#x26;/, /&#x3c;/]) {
      assert.ok(script.test(text), String(script));
    }
  });
});
