import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describedUris } from '../../../../src/records/forms/oai/described-uris.ts';
import {
  isOaiRecord,
  metadataDocument,
  type OaiRecord,
  readOaiRecord,
  withoutDerived,
  writeOaiRecord,
} from '../../../../src/records/forms/oai/oai-record.ts';
import { DC, dc, OAI } from '../../../support/oai-pages.ts';

const HEADER = { identifier: 'oai:x:1', datestamp: '2026-02-03', setSpecs: ['a', 'b:c'], deleted: false };

describe('The stored document of a record of OAI-PMH', () => {
  it('is what the design says', () => {
    const document = writeOaiRecord({
      header: HEADER,
      metadata: '<n xmlns=""/>',
      about: ['<p xmlns="urn:p"></p>'],
      derived: { format: 'nsdl_dc', xml: '<r xmlns="urn:r"></r>' },
    });
    assert.equal(
      document.toString(),
      `<record xmlns="${OAI}"><header><identifier>oai:x:1</identifier><datestamp>2026-02-03</datestamp>` +
        '<setSpec>a</setSpec><setSpec>b:c</setSpec></header><metadata><n xmlns=""/></metadata>' +
        '<about><p xmlns="urn:p"></p></about>' +
        '<derived xmlns="urn:tidemark:derived" format="nsdl_dc"><r xmlns="urn:r"></r></derived></record>',
    );
  });

  it('is read as it was written, whatever its texts have', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((given) => !/[\u0000-\u0008\u000b-\u001f]/.test(given));
    const element = text.map((given) => `<e>${given.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</e>`);
    const plain = { noNullPrototype: true } as const;
    const header = { identifier: text, datestamp: text, setSpecs: fc.array(text), deleted: fc.boolean() };
    const parts = {
      header: fc.record(header, plain),
      metadata: element,
      about: fc.array(element),
      derived: fc.option(fc.record({ format: text, xml: element }, plain), { nil: undefined }),
    };
    fc.assert(
      fc.property(fc.record(parts, plain), (record) => {
        const { derived, ...others } = record;
        const expected: OaiRecord = derived === undefined ? others : record;
        const document = writeOaiRecord(expected);
        assert.deepEqual(readOaiRecord(document), expected);
        assert.deepEqual(readOaiRecord(withoutDerived(document)), others);
        assert.ok(isOaiRecord(document));
      }),
    );
  });

  it('keeps apart its own elements, and those of metadata with the same names', () => {
    const metadata =
      '<record xmlns="urn:x"><header></header><metadata></metadata><about><derived></derived></about></record>';
    const record = { header: HEADER, metadata, about: [metadata], derived: { format: 'x', xml: metadata } };
    const spaced = metadata.replace(/<\/(metadata|about|derived)>/g, '</$1 >');
    assert.deepEqual(readOaiRecord(writeOaiRecord(record)), {
      ...record,
      ...{ metadata: spaced, about: [spaced], derived: { format: 'x', xml: spaced } },
    });
  });

  it('has its metadata as a document of its own', () => {
    const document = writeOaiRecord({ header: HEADER, metadata: dc('a'), about: [] });
    assert.equal(metadataDocument(document).toString(), `<?xml version="1.0" encoding="UTF-8"?>\n${dc('a')}\n`);
  });

  it('is no other document', () => {
    assert.throws(() => readOaiRecord(Buffer.from('<a/>')), { code: 'invalid' });
    assert.equal(isOaiRecord(Buffer.from('<a/>')), false);
  });
});

describe('The URIs that a record describes', () => {
  const urisOf = (elements: string, derived?: string) =>
    describedUris(
      writeOaiRecord({
        header: HEADER,
        metadata: `<d xmlns:dc="${DC}" xmlns:o="urn:o">${elements}</d>`,
        about: [],
        derived: derived === undefined ? undefined : { format: 'x', xml: derived },
      }),
    );

  it('are those of its identifiers, each once and in order', () => {
    assert.deepEqual(
      urisOf(
        '<dc:identifier>http://a/1?x=1&amp;y</dc:identifier><dc:identifier> ftp://b/ </dc:identifier>' +
          '<dc:identifier type="URI">HTTPS://c</dc:identifier><dc:identifier>http://a/1?x=1&amp;y</dc:identifier>' +
          '<dc:identifier>doi:1</dc:identifier><dc:identifier>http://a b</dc:identifier><dc:identifier>http://</dc:identifier>' +
          '<dc:relation>http://r</dc:relation><o:identifier>http://o</o:identifier><identifier>http://p</identifier>',
      ),
      ['http://a/1?x=1&y', 'ftp://b/', 'HTTPS://c'],
    );
  });

  it('are those of what a transform made, where there is that', () => {
    const derived = `<d xmlns="${DC}"><identifier>http://d</identifier></d>`;
    assert.deepEqual(urisOf('<dc:identifier>http://a</dc:identifier>', derived), ['http://d']);
  });

  it('are none of another document, and 50 at most', () => {
    assert.deepEqual(describedUris(Buffer.from('<a/>')), []);
    const many = Array.from({ length: 60 }, (_, at) => `<dc:identifier>http://a/${at}</dc:identifier>`).join('');
    assert.equal(urisOf(many).length, 50);
  });
});
