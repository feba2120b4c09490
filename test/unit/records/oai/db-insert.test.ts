import assert from 'node:assert/strict';
import { pieceText } from '../../../../src/nsdl/piece.ts';
import { readOaiRecord, writeOaiRecord } from '../../../../src/records/forms/oai/oai-record.ts';
import type { ReadItem } from '../../../../src/records/forms/record-form.ts';
import { fileKindOf } from '../../../../src/records/forms/record-forms.ts';

const NSDL = 'http://ns.nsdl.org/nsdl_dc_v1.02/';
const HEADER = { collectionNA: '2200/1', uuid: 'a-1', runType: 'harvest', pieces: 1, piece: 1 };
const NATIVE = '<m:dc xmlns:m="urn:maps" a="1">Wien &amp; Umgebung<m:x>é🗺</m:x></m:dc>';
const NSDL_DC = `<n:nsdl_dc xmlns:n="${NSDL}"><n:title>Wien</n:title></n:nsdl_dc>`;
/** Without the declaration of its prefix, as in `foreign`. */
const native = `<native format="maps">${NATIVE.replace(' xmlns:m="urn:maps"', '')}</native>`;

/** @param size bytes of a chunk */
async function read(text: string, size = 7): Promise<readonly ReadItem[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const items: ReadItem[] = [];
  for await (const batch of fileKindOf('dbinsert')!.read(chunks(), { kind: 'oai' })) items.push(...batch);
  return items;
}

const foreign = (items: string) => `<?xml version="1.0"?>
<dbInsert xmlns:m="urn:maps" xmlns:n="${NSDL}"><header><uuid>x</uuid></header>${items}</dbInsert>`;
const item = (content: string) =>
  `<item><identifier> oai:1 </identifier><datestamp>2020-01-01</datestamp>${content}</item>`;

describe('the records of a dbInsert file', () => {
  it('are those that were written, wherever their prefixes are declared', async () => {
    const header = { identifier: 'oai:1', datestamp: '2020-01-01', setSpecs: [], deleted: false };
    const derived = { format: 'nsdl_dc', xml: NSDL_DC };
    const stored = writeOaiRecord({ header, metadata: NATIVE, about: [], derived });
    const content = { format: 'maps', native: NATIVE, nsdlDc: NSDL_DC };
    const written = pieceText(HEADER, [
      { identifier: 'oai:1', datestamp: '2020-01-01', content },
      { identifier: 'oai:2', datestamp: '2020-01-02' },
    ]);
    const [record, deletion] = await read([...written].join(''));
    assert.ok(record?.kind === 'record' && deletion?.kind === 'deletion');
    assert.equal(Buffer.from(record.record.bytes).toString(), stored.toString());
    assert.equal(deletion.id, 'oai:2');
    for (const nsdlDc of [NSDL_DC, NSDL_DC.replace(` xmlns:n="${NSDL}"`, ''), `<nsdl_dc>${NSDL_DC}</nsdl_dc>`]) {
      const [other] = await read(foreign(item(native + nsdlDc)));
      assert.ok(other?.kind === 'record');
      const { metadata, derived } = readOaiRecord(Buffer.from(other.record.bytes));
      // With all namespaces that are in scope.
      assert.equal(metadata?.replace(` xmlns:n="${NSDL}"`, ''), NATIVE);
      assert.equal(derived?.xml.replace(' xmlns:m="urn:maps"', ''), NSDL_DC);
    }
  });

  it('are errata without nsdl_dc, native metadata, an identifier or a datestamp; the others are read', async () => {
    const whole = item(native + NSDL_DC);
    const items = [item(native), item(NSDL_DC), whole.replace(' oai:1 ', ''), whole.replace('2020-01-01', 'today')];
    const text = foreign([...items, item('<status>gone</status>'), whole].join('\n'));
    const found = await read(text);
    assert.deepEqual(
      found.map((one) => (one.kind === 'erratum' ? one.reason.replace(/: expected.*/, '') : one.kind)),
      [
        `the item has no nsdl_dc of ${NSDL}`,
        'the item has no native metadata',
        'the item has no identifier',
        'its datestamp is "today"',
        'its status is "gone"',
        'record',
      ],
    );
    const offsets = [...text.matchAll(/<item>/g)].map(({ index }) => Buffer.byteLength(text.slice(0, index)));
    assert.deepEqual(
      found.map(({ offset }) => offset),
      offsets,
    );
  });

  it('are none of a file that is not well-formed, has a document type, or is not a dbInsert file', async () => {
    const text = foreign(item(native + NSDL_DC));
    await assert.rejects(read(text.replace('</m:x>', '')), /not well-formed XML.*\(byte \d+\)/);
    await assert.rejects(read(text.slice(0, -5)), /not well-formed/);
    await assert.rejects(read(text.replace('<dbInsert', '<!DOCTYPE dbInsert [<!ENTITY a "b">]><dbInsert')), /DOCTYPE/);
    await assert.rejects(read(text.replace('Wien', '&boom;')), /not well-formed/);
    await assert.rejects(read(text.replaceAll('dbInsert', 'records')), /expected dbInsert/);
  });
});
