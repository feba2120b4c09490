import assert from 'node:assert/strict';
import { toNsdlDc } from '../../../../src/records/transforms/nsdl-dc.ts';

const OAI_DC = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const DC = 'http://purl.org/dc/elements/1.1/';

describe('oai_dc to nsdl_dc', () => {
  it('writes the elements in the order of NSDL’s sheets, whatever order and prefixes the record has', () => {
    const elements = [
      'coverage',
      'date',
      'format',
      'relation',
      'source',
      'rights',
      'contributor',
      'publisher',
      'creator',
    ]
      .concat('type', 'language', 'subject', 'description', 'title', 'identifier')
      .map((name) => `<x:${name}>${name}</x:${name}>`);
    const xml = `<dc xmlns="${OAI_DC}" xmlns:x="${DC}">${elements.join('\n ')}</dc>`;

    const names = [...toNsdlDc(xml).matchAll(/<(dc:\w+)/g)].map(([, name]) => name);

    assert.equal(
      names.map((name) => name!.slice(3)).join(' '),
      'identifier title description subject language type creator publisher contributor rights source relation format date coverage',
    );
  });

  it('writes one root, with its version, its schema and the namespaces of its values', () => {
    assert.equal(
      toNsdlDc(record('<dc:title>A</dc:title>')),
      '<nsdl_dc:nsdl_dc xmlns:nsdl_dc="http://ns.nsdl.org/nsdl_dc_v1.02/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" schemaVersion="1.02.020" xsi:schemaLocation="http://ns.nsdl.org/nsdl_dc_v1.02/ http://ns.nsdl.org/schemas/nsdl_dc/nsdl_dc_v1.02.xsd"><dc:title>A</dc:title></nsdl_dc:nsdl_dc>',
    );
  });

  describe('names the encoding scheme of a value that fits it', () => {
    const cases: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
      'dct:URI': {
        identifier: ['http://example.org/1', 'HTTPS://example.org', 'ftp://example.org/a%20b', 'http://example.org/é'],
        relation: ['https://example.org/?a=b&amp;c'],
        source: ['http://example.org/'],
      },
      'dct:DCMIType': { type: ['Text', 'MovingImage', 'InteractiveResource'] },
      'dct:IMT': {
        format: ['text/html', 'image/svg+xml', 'text/plain; charset=utf-8', 'application/x-tar', 'x-world/x-vrml'],
      },
      'dct:RFC3066': { language: ['en', 'eng', 'en-US', 'zh-min-nan', 'i-klingon', 'x-private'] },
      'dct:W3CDTF': {
        date: [
          '1999',
          '1999-12',
          '2000-02-29',
          '1999-12-31T23:59Z',
          '1999-12-31T23:59:59.5+01:00',
          '1999-12-31T00:00:00Z',
        ],
      },
      none: {
        identifier: [
          'doi:10.1/2',
          'http://',
          'http:// example.org',
          'urn:isbn:1',
          'mailto:a@example.org',
          'http:///a',
          'see http://example.org',
        ],
        title: ['http://example.org/'],
        rights: ['http://example.org/'],
        type: ['text', 'Still Image', 'Article'],
        format: ['PDF', '12/2004', 'text/', 'pages 1/2', '300 x 200'],
        language: ['English', 'en_US', 'i', 'x', 'en-', 'e'],
        date: [
          '1999-13',
          '1999-00',
          '1999-02-29',
          '2000-04-31',
          '99',
          'c1999',
          '1999-12-31T23:59',
          '1999-12-31T24:00Z',
          '1999-1-1',
          '1999/2000',
          '12/31/1999',
        ],
      },
    };

    for (const [scheme, values] of Object.entries(cases)) {
      for (const [name, texts] of Object.entries(values)) {
        it(`${scheme} of dc:${name}`, () => {
          const type = scheme === 'none' ? '' : ` xsi:type="${scheme}"`;
          for (const text of texts) {
            assert.ok(
              elementsOf(`<dc:${name}>${text}</dc:${name}>`).includes(`<dc:${name}${type}>${text}</dc:${name}>`),
              text,
            );
          }
        });
      }
    }
  });

  const rows: Readonly<Record<string, readonly [given: string, made: string]>> = {
    'normalizes white space': ['<dc:subject>\n  a\t b \r\n c\n</dc:subject>', '<dc:subject>a b c</dc:subject>'],
    'keeps a no-break space': ['<dc:subject>a\u00a0b</dc:subject>', '<dc:subject>a\u00a0b</dc:subject>'],
    'keeps the language of a value': [
      '<dc:subject xml:lang="fr">été</dc:subject>',
      '<dc:subject xml:lang="fr">été</dc:subject>',
    ],
    'leaves out an empty language': ['<dc:subject xml:lang="">a</dc:subject>', '<dc:subject>a</dc:subject>'],
    'escapes what XML needs escaped': [
      '<dc:subject>a &lt; b &amp;amp; "c"<![CDATA[<d>]]></dc:subject>',
      '<dc:subject>a &lt; b &amp;amp; &quot;c&quot;&lt;d&gt;</dc:subject>',
    ],
    'takes the text of elements within an element': [
      '<dc:subject>a <i>b</i> c</dc:subject>',
      '<dc:subject>a b c</dc:subject>',
    ],
    'keeps values in their order': [
      '<dc:subject>b</dc:subject><dc:subject>a</dc:subject>',
      '<dc:subject>b</dc:subject><dc:subject>a</dc:subject>',
    ],
    'leaves out elements of other namespaces': ['<o:subject xmlns:o="urn:o">a</o:subject>', ''],
    'leaves out elements that Dublin Core does not have': ['<dc:author>a</dc:author>', ''],
    'leaves out text beside the elements': ['a <dc:subject>b</dc:subject> c', '<dc:subject>b</dc:subject>'],
    'leaves out comments': ['<dc:subject>a<!-- b --></dc:subject>', '<dc:subject>a</dc:subject>'],
  };
  for (const [title, [given, made]] of Object.entries(rows)) {
    it(title, () => assert.equal(elementsOf(given), made));
  }

  it('leaves out values that say nothing', () => {
    const useless = [
      '',
      ' ',
      '-',
      '--',
      '?',
      '…',
      '.',
      'none',
      'None.',
      '[none]',
      '(unknown)',
      'N/A',
      'n.a.',
      'NULL',
      'To be added',
    ].concat('unknown', 'undefined', 'not available', 'TBD', '&lt;none&gt;', '"null"', '***', 'To be  added!');
    const useful = ['nonesuch', 'Unknown artist', 'C', '1', 'π', 'NA', 'No', 'null pointer'];

    for (const text of useless) assert.equal(elementsOf(`<dc:subject>${text}</dc:subject>`), '', text);
    for (const text of useful) {
      assert.equal(elementsOf(`<dc:subject>${text}</dc:subject>`), `<dc:subject>${text}</dc:subject>`);
    }
  });

  it('fails a record with the reason by which it is counted', () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [`<oai_dc:dc xmlns:oai_dc="${OAI_DC}"/>`, 'missing-field', /no dc:title/],
      [`<dc xmlns="${OAI_DC}" xmlns:dc="${DC}"><dc:title>unknown</dc:title></dc>`, 'missing-field', /no dc:title/],
      ['<mods xmlns="http://www.loc.gov/mods/v3"/>', 'format', /expected oai_dc or nsdl_dc, .* <mods> .*mods\/v3/],
      ['<dc/>', 'format', /<dc> without a namespace/],
      ['<dc', 'not-xml', /not XML/],
      [`<dc xmlns="${OAI_DC}"><a:b/></dc>`, 'not-xml', /unbound namespace prefix/],
      [`<!DOCTYPE a [<!ENTITY b "c">]><dc xmlns="${OAI_DC}">&b;</dc>`, 'not-xml', /DOCTYPE/],
    ];
    for (const [xml, kind, message] of cases) assert.throws(() => toNsdlDc(xml), { kind, message });

    assert.match(toNsdlDc(record('<dc:title>A</dc:title>')), /<dc:title>A</);
  });
});

/** What is made of elements, without the title that each record needs. */
function elementsOf(elements: string): string {
  const made = toNsdlDc(record(`<dc:title>@</dc:title>${elements}`)).replace('<dc:title>@</dc:title>', '');
  return made.slice(made.indexOf('>') + 1, made.lastIndexOf('<'));
}

function record(elements: string): string {
  return `<oai_dc:dc xmlns:oai_dc="${OAI_DC}" xmlns:dc="${DC}">${elements}</oai_dc:dc>`;
}
