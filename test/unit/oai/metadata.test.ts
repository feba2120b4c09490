import assert from 'node:assert/strict';
import { dublinCoreIn, writeAsOaiDc } from '../../../src/oai/metadata/dublin-core-of.ts';
import { mapDublinCore } from '../../../src/oai/metadata/map-dublin-core.ts';
import { nativeXml } from '../../../src/oai/metadata/native-xml.ts';
import { provenanceOf } from '../../../src/oai/metadata/provenance.ts';
import { readXmlRoot } from '../../../src/oai/metadata/xml-root.ts';
import { buildRecord } from '../../../src/records/forms/marc/build-record.ts';
import { dublinCoreOf } from '../../../src/records/forms/marc/marc-dc.ts';
import type { MarcField } from '../../../src/records/forms/marc/marc-record.ts';

const MODS = 'http://www.loc.gov/mods/v3';

describe('The root of metadata', () => {
  it('says its namespace and schema, however it is written', () => {
    const location = ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x x.xsd ${MODS} m.xsd"`;
    for (const start of [
      `<mods xmlns="${MODS}"`,
      `<m:mods a="1" xmlns:m='${MODS}'`,
      `<m:mods\n xmlns="urn:x" xmlns:m = "${MODS}"`,
    ]) {
      assert.deepEqual(readXmlRoot(`${start}/>`), { namespace: MODS, schema: MODS }, start);
      assert.deepEqual(readXmlRoot(`${start}${location}><a/>`), { namespace: MODS, schema: 'm.xsd' }, start);
    }
    assert.deepEqual(readXmlRoot('<a>'), { namespace: '', schema: '' });
    assert.equal(readXmlRoot('text'), undefined);
  });
});

describe('An XML document', () => {
  it('is metadata without what is before its root', () => {
    const root = `<mods xmlns="${MODS}"><a>é</a></mods>`;
    for (const before of ['', '\ufeff', '<?xml version="1.0" encoding="UTF-8"?>\n', '<!-- a > b --> <?p q?>\n']) {
      const found = nativeXml(`${before}${root}\n`);
      assert.deepEqual([found?.xml, found?.format.prefix], [root, 'mods'], before);
    }
    assert.equal(nativeXml('<a xmlns="urn:other"/>')?.format.prefix, 'xml');
  });

  it('is none when an answer could not contain it', () => {
    for (const document of [
      '',
      'text',
      '<a/>',
      `<mods xmlns="${MODS}">`,
      `<mods xmlns="${MODS}"/><mods xmlns="${MODS}"/>`,
      `<mods xmlns="${MODS}">\u0001</mods>`,
      `<mods xmlns="${MODS}">&undeclared;</mods>`,
      `<!DOCTYPE mods [<!ENTITY a "b">]><mods xmlns="${MODS}">&a;</mods>`,
      '<a xmlns="http://www.openarchives.org/OAI/2.0/"/>',
    ]) {
      assert.equal(nativeXml(document), undefined, document);
    }
  });
});

describe('Dublin Core', () => {
  it('is made of the usual fields of a MARC record', () => {
    const field = (tag: string, ...subfields: (readonly [string, string])[]): MarcField => {
      return { tag, indicators: '  ', subfields: subfields.map(([code, value]) => ({ code, value })) };
    };
    const record = buildRecord('00000nam a2200000 a 4500', [
      { tag: '001', value: 'in1' },
      { tag: '008', value: '850101s1985    ne a     b    000 0 eng  ' },
      field('020', ['a', '0521223350 (hbk.)']),
      field('100', ['a', 'Lovelace, Ada,'], ['d', '1815-1852']),
      field('245', ['a', 'Notes /'], ['c', 'by A. L.']),
      field('260', ['a', 'London :'], ['b', 'Taylor,'], ['c', '1843.']),
      field('520', ['a', 'About an engine.']),
      field('650', ['a', 'Computers'], ['x', 'History']),
      field('700', ['a', 'Menabrea, L. F.']),
      field('856', ['u', 'https://example.org/notes?a=1&b=2']),
    ]);
    assert.deepEqual(dublinCoreOf(record), [
      ['date', '1985'],
      ['language', 'eng'],
      ['identifier', 'URN:ISBN:0521223350'],
      ['creator', 'Lovelace, Ada, 1815-1852'],
      ['title', 'Notes'],
      ['publisher', 'Taylor'],
      ['date', '1843.'],
      ['description', 'About an engine.'],
      ['subject', 'Computers -- History'],
      ['contributor', 'Menabrea, L. F.'],
      ['identifier', 'https://example.org/notes?a=1&b=2'],
      ['type', 'Text'],
    ]);
  });

  it('is made of MAP', () => {
    const sourceResource = {
      title: ['A map'],
      creator: 'Ada',
      date: [{ displayDate: '1900', begin: '1900' }],
      subject: [{ name: 'Maps' }],
      language: [{ iso639_3: 'eng' }],
      spatial: [{ name: 'Vienna', coordinates: '1, 2' }],
    };
    const document = JSON.stringify({ '@id': 'http://dp.la/1', isShownAt: 'https://a.example/1', sourceResource });
    assert.deepEqual(mapDublinCore('1', document), [
      ['title', 'A map'],
      ['creator', 'Ada'],
      ['date', '1900'],
      ['subject', 'Maps'],
      ['coverage', 'Vienna'],
      ['identifier', 'https://a.example/1'],
      ['identifier', 'http://dp.la/1'],
    ]);
    for (const text of ['', '[1', '{"a":1}', 'null', '<a/>', 'nonsense .'])
      assert.deepEqual(mapDublinCore('1', text), []);
  });

  it('has a title and an identifier in any case', () => {
    assert.match(
      writeAsOaiDc('a&b', []),
      /<dc:title>a&amp;b<\/dc:title><dc:identifier>a&amp;b<\/dc:identifier><\/oai_dc:dc>$/,
    );
    const found = dublinCoreIn(
      `<m xmlns="urn:m" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title> A \n b</dc:title></m>`,
    );
    assert.deepEqual(found, [['title', 'A b']]);
    assert.deepEqual(dublinCoreIn('<m>'), []);
  });
});

describe('Provenance', () => {
  const header = { identifier: 'oai:a:1', datestamp: '2024-01-01', setSpecs: [], deleted: false };
  const origin = { baseUrl: 'https://b.example/oai?a&b', namespace: 'urn:n', harvested: 0, isAltered: false };

  it('is well-formed, also with comments that look like tags', () => {
    const namespace = 'http://www.openarchives.org/OAI/2.0/provenance';
    const description = '<originDescription harvestDate="x"><baseURL>b</baseURL></originDescription>';
    for (const inner of [`${description}<!-- </x> -->`, `<!-- <originDescription> -->${description}<?a </b>?>`]) {
      const about = [`<provenance xmlns="${namespace}">${inner}</provenance>`];
      const written = provenanceOf({ header, about }, origin);
      assert.ok(nativeXml(written) !== undefined, written);
      assert.match(
        written,
        /<originDescription harvestDate="x" xmlns="[^"]*"><baseURL>b<\/baseURL><\/originDescription>/,
      );
    }
  });

  it('nests what the source has said', () => {
    const namespace = 'http://www.openarchives.org/OAI/2.0/provenance';
    const inner = (prefix: string) =>
      `<${prefix}originDescription harvestDate="2020-01-01T00:00:00Z" altered="true"><${prefix}baseURL>x</${prefix}baseURL></${prefix}originDescription>`;
    const first = provenanceOf(
      { header, about: [`<provenance xmlns="${namespace}">${inner('')}</provenance>`] },
      origin,
    );
    assert.ok(
      first.includes(
        `<metadataNamespace>urn:n</metadataNamespace><originDescription harvestDate="2020-01-01T00:00:00Z" altered="true" xmlns="${namespace}">`,
      ),
      first,
    );
    const prefixed = `<p:provenance xmlns:p="${namespace}">${inner('p:')}</p:provenance>`;
    const second = provenanceOf({ header, about: ['<other xmlns="urn:o"/>', prefixed] }, origin);
    assert.ok(
      second.includes(
        `<p:originDescription harvestDate="2020-01-01T00:00:00Z" altered="true" xmlns:p="${namespace}"><p:baseURL>x</p:baseURL></p:originDescription></originDescription></provenance>`,
      ),
      second,
    );
    assert.ok(!provenanceOf({ header, about: [] }, origin).slice(1).includes('altered="true"'));
  });
});
