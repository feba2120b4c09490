import assert from 'node:assert/strict';
import { findRecordFiles } from '../../../../src/records/forms/identify.ts';
import { readFile } from '../../../../src/records/forms/read-file.ts';
import type { SharedByFiles } from '../../../../src/records/forms/record-form.ts';
import { DC, OAI_DC, page, READING, readPage, record, recordsOf, summaryOf } from '../../../support/oai-pages.ts';
import { given } from '../../../support/upload-packages.ts';

const MODS = '<mods xmlns="urn:mods"></mods>';
const shared: SharedByFiles[] = [];

/** What the pages of one delivery share. */
function delivery(): SharedByFiles {
  const one: SharedByFiles = {};
  shared.push(one);
  return one;
}

const dcWith = (elements: string) => `<oai_dc:dc xmlns:oai_dc="${OAI_DC}" xmlns:dc="${DC}">${elements}</oai_dc:dc>`;

describe('A delivery of a harvest', () => {
  afterEach(() => {
    for (const { opened } of shared.splice(0)) opened?.close();
  });

  it('has the requested format, or fails (E02, E11, E20)', async () => {
    await assert.rejects(readPage(page(record('1', { metadata: MODS })), { reading: READING }), {
      message: `000001.xml: the format oai_dc was requested, which is ${OAI_DC}: the records are in urn:mods`,
    });
    const unknown = { ...READING, format: 'mods', namespace: undefined };
    const pages = delivery();
    assert.deepEqual(
      summaryOf(await readPage(page(record('1', { metadata: MODS })), { reading: unknown, shared: pages })),
      ['record 1'],
    );
    await assert.rejects(readPage(page(record('2')), { reading: unknown, shared: pages }), {
      message: `000001.xml: the format mods was requested: records are in urn:mods and in ${OAI_DC}`,
    });
  });

  it('of a user has one format, too: another one is an erratum', async () => {
    const items = summaryOf(await readPage(page(record('1') + record('2', { metadata: MODS }))));
    assert.deepEqual(items, [
      'record 1',
      `erratum 2: its metadata is in urn:mods, and that of the first record in ${OAI_DC}`,
    ]);
  });

  it('has what the transform made of each record, in the order of the page (E18, E23, E40)', async () => {
    const reading = { ...READING, transform: 'nsdl_dc' };
    const ids = Array.from({ length: 300 }, (_, at) => `${at}`);
    const records = ids.map((id) => record(id, { metadata: dcWith(id === '7' ? '' : `<dc:title>T${id}</dc:title>`) }));
    const items = await readPage(page(records.join('\n')), { reading, shared: delivery(), chunk: 5_000 });
    assert.deepEqual(
      items.map(({ id }) => id),
      ids,
    );
    assert.match(summaryOf(items)[7]!, /^erratum 7: nsdl_dc cannot be made of it: .*title/);
    const [one] = await recordsOf(page(records[8]!), { reading, shared: delivery() });
    assert.equal(one!.derived!.format, 'nsdl_dc');
    assert.match(one!.derived!.xml, /^<nsdl_dc:nsdl_dc .*<dc:title>T8<\/dc:title>.*<\/nsdl_dc:nsdl_dc>$/);
    assert.equal(
      one!.metadata,
      dcWith('<dc:title>T8</dc:title>').replace(/(xmlns:oai_dc="\S+") (xmlns:dc="\S+")/, '$2 $1'),
    );
  });

  it('takes oai_dc and nsdl_dc alone for the transform nsdl_dc (E21)', async () => {
    const reading = { ...READING, format: 'mods', namespace: undefined, transform: 'nsdl_dc' };
    await assert.rejects(
      readPage(page(record('1', { metadata: MODS })), { reading }),
      /the transform nsdl_dc takes oai_dc and nsdl_dc/,
    );
    const nsdl =
      '<n:nsdl_dc xmlns:n="http://ns.nsdl.org/nsdl_dc_v1.02/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>a</dc:title></n:nsdl_dc>';
    const [one] = await recordsOf(page(record('1', { metadata: nsdl })), { reading, shared: delivery() });
    assert.deepEqual([one!.metadata!.includes('<dc:title>a</dc:title>'), one!.derived], [true, undefined]);
  });

  it('demands a URI when its collection does (e9)', async () => {
    const reading = { ...READING, transform: 'nsdl_dc', requireUri: true };
    const metadata = (id: string) => dcWith(`<dc:title>T</dc:title><dc:identifier>${id}</dc:identifier>`);
    const records = record('1', { metadata: metadata('http://a/1') }) + record('2', { metadata: metadata('doi:1') });
    assert.deepEqual(summaryOf(await readPage(page(records), { reading, shared: delivery() })), [
      'record 1',
      'erratum 2: it has no identifier that is a http, https or ftp URI, which the collection requires',
    ]);
  });

  it('checks the metadata by its schema when its collection says so', async () => {
    const reading = { ...READING, validate: true };
    const records = record('1') + record('2', { metadata: dcWith('<dc:unknown>a</dc:unknown>') });
    const [first, second] = summaryOf(await readPage(page(records), { reading, shared: delivery() }));
    assert.equal(first, 'record 1');
    assert.match(second!, /^erratum 2: its metadata is not valid by the schema of its format: line 1.*unknown/);
  });

  it('has nothing but pages of OAI-PMH', async () => {
    const read = async (content: string) => {
      for await (const file of findRecordFiles({ ...given(Buffer.from(content)), name: 'a.xml' })) {
        for await (const _ of readFile(file, READING));
      }
    };
    await assert.rejects(read('<html/>'), /^TidemarkError: a\.xml is no page of OAI-PMH: its first element is <html>/);
    await assert.rejects(read('1\n2\n'), /^TidemarkError: a\.xml is no page of OAI-PMH: it is ids to delete/);
    await read(page(record('1')));
  });
});
