import assert from 'node:assert/strict';
import { findRecordFiles } from '../../src/records/forms/identify.ts';
import { readFile } from '../../src/records/forms/read-file.ts';
import type { ReadItem, RecordFile } from '../../src/records/forms/record-form.ts';
import { FILE_KINDS, formOf } from '../../src/records/forms/record-forms.ts';
import { page, record } from '../support/oai-pages.ts';
import { given, marc } from '../support/upload-packages.ts';

/** A file of each kind, with two records, or two ids to delete: 1 and 2. */
const SAMPLES: Readonly<Record<string, Buffer>> = {
  marc21: Buffer.concat([marc('1', 'Atlas'), marc('2', 'Globe')]),
  marcxml: Buffer.from(`<collection xmlns="http://www.loc.gov/MARC21/slim">${xml('1')}${xml('2')}</collection>`),
  oai: Buffer.from(page(record('1') + record('2'))),
  dbinsert: Buffer.from(`<dbInsert><header/>${item('1')}${item('2')}</dbInsert>`),
  'deleted-ids': Buffer.from('1\n2\n'),
};

function xml(id: string): string {
  return `<record><leader>00000nam a2200000   4500</leader><controlfield tag="001">${id}</controlfield></record>`;
}

function item(id: string): string {
  const nsdlDc = `<nsdl_dc xmlns="http://ns.nsdl.org/nsdl_dc_v1.02/"><title xmlns="">${id}</title></nsdl_dc>`;
  const header = `<identifier>${id}</identifier><datestamp>2020-01-01</datestamp>`;
  return `<item>${header}<native format="a"><a xmlns="urn:a">${id}</a></native>${nsdlDc}</item>`;
}

/** What is read of a file that arrives in chunks of so many bytes, and its kind. */
async function read(bytes: Buffer, chunk = 100_000): Promise<{ kind: string; items: readonly ReadItem[] }> {
  const [items, kinds]: [ReadItem[], string[]] = [[], []];
  for await (const file of findRecordFiles(given(bytes, chunk))) {
    kinds.push(file.kind);
    for await (const batch of readFile(file)) {
      assert.ok(batch.length > 0);
      items.push(...batch);
    }
  }
  assert.equal(kinds.length, 1);
  return { kind: kinds[0]!, items };
}

/** The ids of records with their bytes, and those of deletions. */
const contentOf = (items: readonly ReadItem[]) =>
  items.map((item) => [item.id, item.kind === 'record' && Buffer.from(item.record.bytes).toString()]);

async function written({ openWriter }: RecordFile, items: readonly ReadItem[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = await openWriter((bytes) => parts.push(Buffer.from(bytes)));
  for (const item of items) if (item.kind === 'record') writer.add(Buffer.from(item.record.bytes));
  writer.end();
  return Buffer.concat(parts);
}

for (const kind of FILE_KINDS.filter((name) => name !== 'unknown')) {
  describe(`A record form, of files of the kind ${kind},`, () => {
    const sample = SAMPLES[kind]!;
    const { records } = formOf(kind)!;

    it('recognizes them, and reads them the same however they arrive', async () => {
      const whole = await read(sample);
      assert.equal(whole.kind, kind);
      const what = records === undefined ? 'deletion' : 'record';
      assert.deepEqual(
        whole.items.map((item) => [item.kind, item.id]),
        ['1', '2'].map((id) => [what, id]),
      );
      const [first, second] = whole.items;
      assert.ok(first!.ordinal < second!.ordinal && first!.offset < second!.offset);
      for (const chunk of [1, 7, 64]) {
        const { items } = await read(sample, chunk);
        assert.deepEqual(contentOf(items), contentOf(whole.items));
      }
    });

    it('throws nothing for one that breaks off, and reads what came before', async () => {
      for (let length = sample.length - 1; length > sample.length / 2; length--) {
        const { items } = await read(sample.subarray(0, length));
        const ids = items.flatMap((item) => (item.kind === 'erratum' ? [] : [item.id]));
        assert.deepEqual(ids, ['1', '2'].slice(0, ids.length));
        assert.ok(items.length > 0 || length < 3, `nothing of ${length} bytes`);
      }
    });

    it('writes files of records that it reads the same', async () => {
      const { items } = await read(sample);
      for (const file of records?.files ?? []) {
        const again = contentOf((await read(await written(file, items))).items);
        // What was derived of a record is no part of such a file.
        const given = contentOf(items).map(([id, text]) => [
          id,
          text && String(text).replace(/<derived .*<\/derived>/, ''),
        ]);
        assert.deepEqual(again, given, file.kind);
      }
    });

    it('renders each record as bytes of its own', async () => {
      const { items } = await read(sample);
      for (const { render } of records?.rendered ?? []) {
        const rendered = await Promise.all(
          items.map((item) => item.kind === 'record' && render(Buffer.from(item.record.bytes))),
        );
        assert.equal(new Set(rendered.map(String)).size, items.length);
      }
    });
  });
}
