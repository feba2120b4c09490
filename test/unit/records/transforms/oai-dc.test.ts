import assert from 'node:assert/strict';
import { toNsdlDc } from '../../../../src/records/transforms/nsdl-dc.ts';
import { toOaiDc } from '../../../../src/records/transforms/oai-dc.ts';

/** Each element of oai_dc, and what it is made of. */
const MADE_OF: Readonly<Record<string, string>> = {
  contributor: 'dc:contributor',
  coverage: 'dc:coverage dct:spatial dct:temporal',
  creator: 'dc:creator',
  date: 'dc:date dct:available dct:created dct:dateAccepted dct:dateCopyrighted dct:dateSubmitted dct:issued dct:modified dct:valid',
  description: 'dc:description dct:abstract dct:tableOfContents',
  format: 'dc:format dct:extent dct:medium',
  identifier: 'dc:identifier dct:bibliographicCitation',
  language: 'dc:language',
  publisher: 'dc:publisher',
  relation:
    'dc:relation dct:conformsTo dct:hasFormat dct:hasPart dct:hasVersion dct:isFormatOf dct:isPartOf dct:isReferencedBy dct:isReplacedBy dct:isRequiredBy dct:isVersionOf dct:references dct:replaces dct:requires',
  rights: 'dc:rights dct:accessRights dct:license',
  source: 'dc:source',
  subject: 'dc:subject',
  title: 'dc:title dct:alternative',
  type: 'dc:type',
};

const LEFT_OUT = [
  'dct:accessibility',
  'dct:accrualMethod',
  'dct:audience',
  'dct:educationLevel',
  'dct:instructionalMethod',
  'dct:mediator',
  'dct:provenance',
  'dct:rightsHolder',
  'ieee:interactivityLevel',
  'ieee:typicalLearningTime',
];

describe('nsdl_dc to oai_dc', () => {
  for (const [element, names] of Object.entries(MADE_OF)) {
    it(`makes dc:${element} of ${names}`, () => {
      for (const name of names.split(' ')) {
        assert.equal(elementsOf(`<${name} xsi:type="dct:X">a</${name}>`), `<dc:${element}>a</dc:${element}>`);
      }
    });
  }

  it('leaves out what oai_dc does not have', () => {
    for (const name of LEFT_OUT) assert.equal(elementsOf(`<${name}>a</${name}>`), '');
  });

  it('keeps order, text and language', () => {
    assert.equal(
      elementsOf('<dct:issued>1999</dct:issued><dc:title xml:lang="de">&lt; ä</dc:title><dc:subject>\n</dc:subject>'),
      '<dc:date>1999</dc:date><dc:title xml:lang="de">&lt; ä</dc:title>',
    );
  });

  it('brings back what nsdl_dc was made of', () => {
    const values = '<dc:identifier>http://example.org/1</dc:identifier><dc:title>A</dc:title><dc:date>1999</dc:date>';
    const oaiDc = toOaiDc(nsdlDc(values));

    assert.equal(toOaiDc(toNsdlDc(oaiDc)), oaiDc);
    assert.ok(oaiDc.includes(values));
  });

  it('refuses another format', () => {
    assert.throws(() => toOaiDc('<dc/>'), { kind: 'format', message: /expected nsdl_dc/ });
  });
});

function elementsOf(elements: string): string {
  const made = toOaiDc(nsdlDc(elements));
  return made.slice(made.indexOf('>') + 1, made.lastIndexOf('<'));
}

function nsdlDc(elements: string): string {
  return `<nsdl_dc:nsdl_dc xmlns:nsdl_dc="http://ns.nsdl.org/nsdl_dc_v1.02/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/" xmlns:ieee="http://www.ieee.org/xsd/LOMv1p0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" schemaVersion="1.02.020">${elements}</nsdl_dc:nsdl_dc>`;
}
