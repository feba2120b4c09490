import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toNsdlDc } from '../../../../src/records/transforms/nsdl-dc.ts';
import { toOaiDc } from '../../../../src/records/transforms/oai-dc.ts';
import { openSchemaCheck, type SchemaCheck } from '../../../../src/records/transforms/schemas/schema-check.ts';

const OAI = 'http://www.openarchives.org/OAI/2.0/';
const OAI_DC = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const NSDL_DC = 'http://ns.nsdl.org/nsdl_dc_v1.02/';
const DB_INSERT = 'urn:tidemark:db-insert';
const PROVENANCE = 'http://www.openarchives.org/OAI/2.0/provenance';

describe('the schemas that come with the program', () => {
  let schemas: SchemaCheck;
  before(async () => {
    schemas = await openSchemaCheck();
  });
  after(() => schemas.close());

  const origin = (nested = '') =>
    `<originDescription harvestDate="2024-01-01T00:00:00Z" altered="true"><baseURL>http://example.org/oai</baseURL><identifier>oai:a:1</identifier><datestamp>2024-01-01</datestamp><metadataNamespace>${OAI_DC}</metadataNamespace>${nested}</originDescription>`;
  const answer = (content: string) =>
    `<OAI-PMH xmlns="${OAI}"><responseDate>2024-01-01T00:00:00Z</responseDate><request>http://example.org/oai</request>${content}</OAI-PMH>`;
  const header = '<header><identifier>oai:a:1</identifier><datestamp>2024-01-01</datestamp></header>';
  const dbInsert = (items: string, pieces = '1') =>
    `<dbInsert xmlns="${DB_INSERT}"><header><collectionNA>2200/1T</collectionNA><uuid>u</uuid><runType>harvest</runType><pieces>${pieces}</pieces><piece>1</piece></header>${items}</dbInsert>`;
  const item = (rest: string) =>
    `<item><identifier>oai:a:1</identifier><datestamp>2024-01-01T00:00:00Z</datestamp>${rest}</item>`;

  const valid: readonly (readonly [title: string, namespace: string, xml: string])[] = [
    ['oai_dc', OAI_DC, oaiDc('<dc:title xml:lang="en">A</dc:title><dc:creator/>')],
    ['nsdl_dc that we write', NSDL_DC, toNsdlDc(everyScheme())],
    [
      'nsdl_dc with refinements and elements of IEEE',
      NSDL_DC,
      nsdlDc(
        '<dct:educationLevel xsi:type="nsdl_dc:NSDLEdLevel">Grade 3</dct:educationLevel><ieee:interactivityType>x</ieee:interactivityType>',
      ),
    ],
    ['provenance, nested', PROVENANCE, `<provenance xmlns="${PROVENANCE}">${origin(origin())}</provenance>`],
    [
      'an answer with records',
      OAI,
      answer(
        `<ListRecords><record>${header}<metadata>${oaiDc('')}</metadata></record><resumptionToken cursor="0"/></ListRecords>`,
      ),
    ],
    [
      'an answer with a format without a schema',
      OAI,
      answer(`<GetRecord><record>${header}<metadata><a xmlns="urn:a"/></metadata></record></GetRecord>`),
    ],
    [
      'an answer with several errors',
      OAI,
      answer('<error code="badArgument"/><error code="noSetHierarchy">no</error>'),
    ],
    [
      'dbInsert',
      DB_INSERT,
      dbInsert(item('<status>deleted</status>') + item(`<native format="x"><a xmlns=""/></native>${nsdlDc('')}`)),
    ],
  ];
  for (const [title, namespace, xml] of valid) {
    it(`accept ${title}`, () => {
      assert.ok(schemas.has(namespace));
      assert.deepEqual(schemas.check(namespace, xml), []);
    });
  }

  const invalid: readonly (readonly [title: string, namespace: string, xml: string, problem: RegExp])[] = [
    [
      'an element that oai_dc does not have',
      OAI_DC,
      oaiDc('\n<dc:author>A</dc:author>'),
      /^line 2, \/oai_dc:dc\/dc:author\[1\]: .*author.* not expected/,
    ],
    [
      'a value that does not fit its scheme',
      NSDL_DC,
      nsdlDc('<dc:date xsi:type="dct:W3CDTF">1999-13</dc:date>'),
      /^line 1, .*dc:date.*1999-13/,
    ],
    ['nsdl_dc without a version', NSDL_DC, '<nsdl_dc xmlns="http://ns.nsdl.org/nsdl_dc_v1.02/"/>', /schemaVersion/],
    ['XML that is not well-formed', OAI_DC, '<dc>', /^line 1: /],
    [
      'metadata in an answer',
      OAI,
      answer(`<GetRecord><record>${header}<metadata>${oaiDc('<dc:author/>')}</metadata></record></GetRecord>`),
      /author/,
    ],
    ['an empty list', OAI, answer('<ListRecords/>'), /ListRecords/],
    ['an unknown error', OAI, answer('<error code="bad"/>'), /badResumptionToken/],
    ['a response date with a fraction', OAI, answer('<error code="badVerb"/>').replace('00Z', '00.5Z'), /00\.5Z/],
    [
      'provenance without a date',
      PROVENANCE,
      `<provenance xmlns="${PROVENANCE}">${origin().replace('altered="true"', '')}</provenance>`,
      /altered/,
    ],
    ['an item without nsdl_dc', DB_INSERT, dbInsert(item('<native format="x"><a xmlns=""/></native>')), /nsdl_dc/],
    ['no pieces', DB_INSERT, dbInsert('', '0'), /pieces/],
  ];
  for (const [title, namespace, xml, problem] of invalid) {
    it(`refuse ${title}`, () => assert.match(schemas.check(namespace, xml).join('\n'), problem));
  }

  it('accept what the transforms make of any values', () => {
    const name = fc.constantFrom('title', 'identifier', 'type', 'format', 'language', 'date', 'source', 'subject');
    const likely = fc.constantFrom('http://a.b/c', 'Text', 'text/html', 'en-US', '1999-12-31', '1999', 'a <b> & "c"');
    const mixed = fc.mixedCase(fc.tuple(likely, fc.string({ maxLength: 4 })).map((parts) => parts.join('')));
    const text = fc.oneof(likely, mixed, fc.string({ unit: 'grapheme' })).map(escaped);
    const values = fc.array(fc.tuple(name, text).map(([element, value]) => `<dc:${element}>${value}</dc:${element}>`));

    fc.assert(
      fc.property(values, (elements) => {
        const made = toNsdlDc(oaiDc(`<dc:title>A</dc:title>${elements.join('')}`));

        assert.deepEqual(schemas.check(NSDL_DC, made), []);
        const simple = toOaiDc(made);
        assert.deepEqual(schemas.check(OAI_DC, simple), []);
        assert.equal(toNsdlDc(simple), made);
      }),
      { numRuns: 500 },
    );
  });

  it('find no problem in a namespace for which there is none', () => {
    assert.equal(schemas.has('urn:a'), false);
    assert.deepEqual(schemas.check('urn:a', '<a'), []);
  });

  it('report at most ten problems, and expand no entities', () => {
    assert.equal(schemas.check(OAI_DC, oaiDc('<dc:title><a/></dc:title>'.repeat(20))).length, 10);
    const bomb = `<!DOCTYPE a [<!ENTITY a "${'a'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}"><!ENTITY c "${'&b;'.repeat(1_000)}">]>`;
    assert.notDeepEqual(schemas.check(OAI_DC, bomb + oaiDc('<dc:title>&c;</dc:title>')), []);
  });

  /** Without the characters that XML does not have. */
  function escaped(text: string): string {
    const known = text.replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '');
    return known.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }

  function oaiDc(elements: string): string {
    return `<oai_dc:dc xmlns:oai_dc="${OAI_DC}" xmlns:dc="http://purl.org/dc/elements/1.1/">${elements}</oai_dc:dc>`;
  }

  function nsdlDc(elements: string): string {
    return `<nsdl_dc:nsdl_dc xmlns:nsdl_dc="${NSDL_DC}" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/" xmlns:ieee="http://www.ieee.org/xsd/LOMv1p0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" schemaVersion="1.02.020">${elements}</nsdl_dc:nsdl_dc>`;
  }

  function everyScheme(): string {
    return oaiDc(
      '<dc:title>A</dc:title><dc:identifier>http://example.org/1</dc:identifier><dc:type>Text</dc:type><dc:format>text/html; charset=utf-8</dc:format><dc:language>en-US</dc:language><dc:date>1999-12-31T23:59:59.5+01:00</dc:date>',
    );
  }
});
