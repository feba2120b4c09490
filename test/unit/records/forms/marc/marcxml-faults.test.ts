import assert from 'node:assert/strict';
import { readMarc21 } from '../../../../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../../../../src/records/forms/marc/read-marcxml.ts';
import { writeMarcXml } from '../../../../../src/records/forms/marc/write-marcxml.ts';
import { encodeSampleXml, sampleRecords } from '../../../../support/marc-records.ts';
import { contentOf, isRecord, readAll, withoutLengths } from '../../../../support/read-marc.ts';

const SLIM = 'http://www.loc.gov/MARC21/slim';
const LEADER = '<leader>00000nam a2200000 a 4500</leader>';
const ID = (id: string) => `<controlfield tag="001">${id}</controlfield>`;
const TITLE = '<datafield tag="245" ind1="1" ind2="0"><subfield code="a">Kůň</subfield></datafield>';
const GOOD = (id: string) => `<record>${LEADER}${ID(id)}${TITLE}</record>`;
const collection = (...records: string[]) => `<collection xmlns="${SLIM}">${records.join('\n')}</collection>`;

const FAULTS: readonly (readonly [string, string, RegExp])[] = [
  [
    'no namespace',
    `<record xmlns="">${LEADER}${ID('bad')}${TITLE}</record>`,
    /the record has no namespace: MARCXML has/,
  ],
  ['no 001', `<record>${LEADER}${TITLE}</record>`, /no field 001/],
  ['an empty 001', `<record>${LEADER}${ID(' ')}${TITLE}</record>`, /field 001 is empty/],
  ['an id of two lines', `<record>${LEADER}${ID('12\n34')}${TITLE}</record>`, /no control characters: "12\\n34"/],
  ['no leader', `<record>${ID('bad')}${TITLE}</record>`, /no leader/],
  ['two leaders', `<record>${LEADER}${LEADER}${ID('bad')}</record>`, /two leaders/],
  [
    'a short leader',
    `<record><leader>00000nam a22</leader>${ID('bad')}</record>`,
    /expected 24 characters.*, it has 12$/,
  ],
  [
    'a leader that lost more than blanks',
    `<record><leader>00000nam a220000 4500</leader>${ID('bad')}</record>`,
    /the leader is "00000nam a220000 4500": expected 24 characters of printable ASCII, it has 21$/,
  ],
  [
    'a leader with another character',
    `<record>${LEADER.replace('n', 'ñ')}${ID('bad')}</record>`,
    /the leader is "00000ñam .*": expected 24 characters of printable ASCII, it has U\+00F1 in leader\/05$/,
  ],
  ['a field without a tag', `<record>${LEADER}${ID('bad')}<datafield ind1=" " ind2=" "/></record>`, /the tag ""/],
  [
    'a data field of 008',
    `<record>${LEADER}${ID('bad')}<datafield tag="008" ind1=" " ind2=" "/></record>`,
    /field 008/,
  ],
  [
    'a control field of 245',
    `<record>${LEADER}${ID('bad')}<controlfield tag="245">A</controlfield></record>`,
    /field 245/,
  ],
  [
    'an unknown element with a tag',
    `<record>${LEADER}${ID('bad')}<datafeld tag="245"/></record>`,
    /an element datafeld/,
  ],
  [
    'a field of another namespace',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('<datafield', '<datafield xmlns="urn:x"')}</record>`,
    /element \{urn:x\}datafield/,
  ],
  [
    'an unknown element in a field',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('<sub', '<x/><sub')}</record>`,
    /an element x/,
  ],
  [
    'a subfield outside of a field',
    `<record>${LEADER}${ID('bad')}<subfield code="a"/></record>`,
    /an element subfield/,
  ],
  ['an element within a text', `<record>${LEADER}${ID('b<i/>d')}</record>`, /field 001 has an element within its text/],
  ['a record within a record', `<record>${LEADER}${ID('bad')}${GOOD('inner')}</record>`, /an element record/],
  [
    'a control character',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('K', 'K\x02')}</record>`,
    /^field 245 \$a has a character that XML cannot have \(line 2, column \d+\)$/,
  ],
  [
    'a control character by number',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('K', '&#x1f;K')}</record>`,
    /^field 245 \$a has a character that XML cannot have \(line 2, column \d+\)$/,
  ],
  [
    'an entity that is not declared',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('K', '&eacute;K')}</record>`,
    /^field 245 \$a has an entity that XML does not have.* \(line 2, column \d+\)$/,
  ],
  [
    'a control character in an attribute',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('"a"', '"&#1;"')}</record>`,
    /^field 245 has a character that XML cannot have/,
  ],
  [
    'a field of more than 9,998 bytes',
    `<record>${LEADER}${ID('bad')}${TITLE.replace('Kůň', 'x'.repeat(10_000))}</record>`,
    /field 245 has 10004 bytes/,
  ],
];

describe('Faults of MARCXML', () => {
  it('do not matter in a deletion whose id can be read', async () => {
    const gone = LEADER.replace('00000n', '00000d');
    const tooShort = '<leader>00000dam a22</leader>';
    const wrong = [
      `<record>${gone}${ID('gone')}${TITLE.replace('"a"', '"ab"')}</record>`,
      `<record>${tooShort}${ID('gone')}</record>`,
      `<record>${gone}${LEADER}${ID('gone')}</record>`,
    ];
    for (const record of wrong) {
      const read = await readAll(readMarcXml, Buffer.from(collection(GOOD('first'), record)));
      assert.deepEqual(
        read.map((one) => [one.id, isRecord(one) && one.deleted]),
        [
          ['first', false],
          ['gone', true],
        ],
      );
    }
    const unclear = `<record>${LEADER}${gone}${ID('gone')}</record>`;
    const [erratum] = await readAll(readMarcXml, Buffer.from(collection(unclear)));
    assert.equal(erratum?.kind, 'erratum');
  });

  it('in a record of holdings concern the record before it, which is not deleted', async () => {
    const holdings = (status: string) =>
      `<record>${LEADER.replace('00000nam', `00000${status}x `)}${ID('1')}<datafeld tag="852"/></record>`;
    const read = async (status: string) =>
      (await readAll(readMarcXml, Buffer.from(collection(GOOD('1'), holdings(status), GOOD('2'))))).map((one) => [
        one.id,
        isRecord(one) && !one.deleted,
      ]);
    assert.deepEqual(await read('d'), [
      ['1', true],
      ['2', true],
    ]);
    assert.deepEqual(await read('n'), [
      ['1', false],
      ['2', true],
    ]);
  });

  for (const [what, bad, reason] of FAULTS) {
    it(`affect no other record: ${what}`, async () => {
      const xml = collection(GOOD('první'), bad, GOOD('last'));
      const read = await readAll(readMarcXml, Buffer.from(xml), 7);
      assert.deepEqual(
        read.map(({ kind, ordinal, offset }) => ({ kind, ordinal, offset })),
        [GOOD('první'), bad, GOOD('last')].map((record, at) => ({
          kind: at === 1 ? 'erratum' : 'record',
          ordinal: at + 1,
          offset: Buffer.byteLength(xml.slice(0, xml.indexOf(record))),
        })),
      );
      const [, erratum] = read;
      assert.match(erratum?.kind === 'erratum' ? erratum.reason : '', reason);
    });
  }

  const start = collection(GOOD('first')).replace('</collection>', '');
  const ENDS: readonly (readonly [string, string | Buffer, RegExp])[] = [
    [
      'a tag that is not closed',
      '<record><leader></record>',
      /not well-formed, line 1, column \d+: unexpected close tag/,
    ],
    ['a control character', '\x01', /not well-formed, line 1, column \d+: disallowed character/],
    ['a control character by number', '&#1;', /not well-formed, line 1, column \d+: .*character/],
    ['an entity that is not declared', '&eacute;', /not well-formed.*undefined entity/],
    ['an & that is none of a reference', '<record>Tom & Jerry</record>', /column \d+: an & before this place .*&amp;/],
    [
      'such an & before a reference',
      '<record>a & b</record><record>c &amp; d</record>',
      /an & before this place .*&amp;/,
    ],
    [
      'a reference that has no end',
      '<record>&#1<x>;</record>',
      /not well-formed: a character reference has no semicolon/,
    ],
    ['UTF-8 that is wrong', Buffer.from('caf\xe9 x', 'latin1'), /the byte E9 is not UTF-8/],
    ['an end in the middle', '<record><lead', /not well-formed.*unclosed tag|not well-formed.*unexpected end/],
    ['half a character at its end', Buffer.from(' \xc3', 'latin1'), /the byte C3 is not UTF-8/],
    ['a text without an end', `<record>${'x'.repeat(2_100_000)}`, /no tag and no text ends within 1000000 characters/],
    ['elements without an end', `<record>${'<a>'.repeat(200)}`, /nested more than 100 deep/],
  ];
  for (const [what, end, reason] of ENDS) {
    it(`of the XML end the file, and what was before remains: ${what}`, async () => {
      const read = await readAll(readMarcXml, Buffer.concat([Buffer.from(start), Buffer.from(end)]));
      assert.deepEqual(
        read.map(({ kind }) => kind),
        ['record', 'erratum'],
      );
      const [, erratum] = read;
      assert.match(erratum?.kind === 'erratum' ? erratum.reason : '', reason);
      assert.match(erratum?.kind === 'erratum' ? erratum.reason : '', /; nothing behind this place is read$/);
      const offset = erratum?.offset ?? 0;
      assert.ok(offset > Buffer.byteLength(start) && offset <= Buffer.byteLength(start) + Buffer.byteLength(end));
    });
  }

  it('of bytes that are not UTF-8 affect no other record, wherever the chunks end', async () => {
    const bad = `<record>${LEADER}${ID('bad')}${TITLE.replace('K', 'caf\xe9 \xe9t\xe9 \xff\xc3')}</record>`;
    const [start = '', end = ''] = collection(GOOD('première'), 'BAD', GOOD('dernière')).split('BAD');
    const xml = Buffer.concat([Buffer.from(start), Buffer.from(bad, 'latin1'), Buffer.from(end)]);
    for (const chunkSize of [1, 2, 3, 64, 65_536]) {
      const [first, erratum, last, ...others] = await readAll(readMarcXml, xml, chunkSize);
      assert.deepEqual([first?.id, erratum?.id, last?.id, others], ['première', 'bad', 'dernière', []]);
      assert.deepEqual([erratum?.offset, last?.offset], [Buffer.byteLength(start), xml.indexOf(GOOD('dernière'))]);
      assert.equal(
        erratum?.kind === 'erratum' && erratum.reason,
        'field 245 $a has the byte E9, which is not UTF-8, as is expected of MARCXML',
      );
    }
  });

  it('of a text in field 001 leave no id, also of a deletion', async () => {
    const gone = LEADER.replace('00000n', '00000d');
    for (const id of ['a\x01b', 'a&eacute;b', 'a&#2;b']) {
      const [first, second] = await readAll(
        readMarcXml,
        Buffer.from(collection(`<record>${gone}${ID(id)}</record>`, GOOD('2'))),
      );
      assert.deepEqual([first?.kind, first?.id, second?.id], ['erratum', undefined, '2'], id);
    }
  });

  it('include every document type, so that no entity can be declared', async () => {
    const xml = `<!DOCTYPE collection [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${collection(GOOD('&b;'))}`;
    const [read, ...others] = await readAll(readMarcXml, Buffer.from(xml));
    assert.match(read?.kind === 'erratum' ? read.reason : '', /document type/);
    assert.deepEqual(others, []);
  });

  it('include other encodings than UTF-8', async () => {
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?>${collection(GOOD('1'))}`;
    const [read, ...others] = await readAll(readMarcXml, Buffer.from(xml));
    assert.match(read?.kind === 'erratum' ? read.reason : '', /declared to be ISO-8859-1: expected UTF-8/);
    assert.deepEqual(others, []);
  });
});

describe('A reader of MARCXML', () => {
  it('reads any prefix, comments, CDATA and a byte order mark, in chunks of any size', async () => {
    const samples = [...sampleRecords({ seed: 7, count: 2 })];
    const [first, second] = samples.map((sample) => encodeSampleXml(sample, 'marc:'));
    const xml = Buffer.from(
      `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- ž -->\r\n<marc:collection xmlns:marc="${SLIM}">${first}<!-- & -->
      <o:record xmlns:o="urn:other"/>${second!.replace(/>([^<&]+)<\/marc:subfield>/, '><![CDATA[$1]]></marc:subfield>')}
      </marc:collection>`,
    );
    for (const chunkSize of [1, 2, 3, 5, 100, 65_536]) {
      const read = await readAll(readMarcXml, xml, chunkSize);
      assert.deepEqual(
        read.filter(isRecord).map(contentOf),
        samples.map(({ leader, fields }) => ({ leader: withoutLengths(leader), fields })),
      );
      const [start, next] = read.map(({ offset }) => xml.toString('utf8', offset, offset + 13));
      assert.deepEqual([start, next], ['<marc:record>', '<marc:record>']);
      assert.equal(read.length, 2);
    }
  });

  it('reads a record that is a document, blank indicators that are empty, and deletions', async () => {
    const [, attributes] = [SLIM, 'ind1="" ind2=" "'];
    const title = TITLE.replace('ind1="1" ind2="0"', attributes);
    const xml = `<record xmlns="${SLIM}">${LEADER.replace('nam', 'dam')}${ID(' an id\n')}${title}</record>`;
    const [read] = (await readAll(readMarcXml, Buffer.from(xml))).filter(isRecord);
    assert.deepEqual({ id: read!.id, deleted: read!.deleted }, { id: 'an id', deleted: true });
    assert.deepEqual(contentOf(read!).fields[1], {
      tag: '245',
      indicators: '  ',
      subfields: [{ code: 'a', value: 'Kůň' }],
    });
  });

  it('passes over elements beside the fields that are not of MARCXML', async () => {
    const other = `<identifier>KOHA:5</identifier><o:meta xmlns:o="urn:x">a<o:b tag="1"><subfield/></o:b>b</o:meta>`;
    const xml = `<record xmlns="${SLIM}">${other}${LEADER}${ID('1')}${other}${TITLE}${other}</record>`;
    const [read] = (await readAll(readMarcXml, Buffer.from(xml), 7)).filter(isRecord);
    const plain = `<record xmlns="${SLIM}">${LEADER}${ID('1')}${TITLE}</record>`;
    const [expected] = (await readAll(readMarcXml, Buffer.from(plain))).filter(isRecord);
    assert.deepEqual(read, expected);
  });

  it('reads no-break spaces of indicators as blanks', async () => {
    const title = TITLE.replace('ind1="1" ind2="0"', 'ind1="\u00a0" ind2="\u00a0"');
    const xml = `<record xmlns="${SLIM}">${LEADER}${ID('1')}${title}</record>`;
    const [read] = (await readAll(readMarcXml, Buffer.from(xml))).filter(isRecord);
    assert.deepEqual(contentOf(read!).fields[1], { ...contentOf(read!).fields[1], indicators: '  ' });
  });

  const LEADERS: readonly (readonly [string, string])[] = [
    ['00000cam a2200000\u00a0a\u00a04500', '00000cam a2200000 a 4500'],
    ['00000cam a2200000 4500', '00000cam a2200000   4500'],
    ['00000cam 2200000 4500', '00000cam a2200000   4500'],
    ['00000cam a2200000a 4500', '00000cam a2200000a  4500'],
    ['00000camaa2200000 a4500', '00000camaa2200000  a4500'],
  ];
  for (const [leader, expected] of LEADERS) {
    it(`restores the blanks of a leader: ${JSON.stringify(leader)}`, async () => {
      const xml = `<record xmlns="${SLIM}"><leader>${leader}</leader>${ID('1')}${TITLE}</record>`;
      const [read] = (await readAll(readMarcXml, Buffer.from(xml))).filter(isRecord);
      assert.equal(read && contentOf(read).leader, withoutLengths(expected));
    });
  }

  for (const leader of ['00000cam  2200000 4500', '00000cam a2200000ab4500', '00000 am a2200000 4500']) {
    it(`guesses no blanks of a leader: "${leader}"`, async () => {
      const xml = `<record xmlns="${SLIM}"><leader>${leader}</leader>${ID('1')}${TITLE}</record>`;
      const [read] = await readAll(readMarcXml, Buffer.from(xml));
      assert.equal(read?.kind, 'erratum');
    });
  }

  it('keeps subfields whose code is a blank', async () => {
    const title = TITLE.replace('code="a"', 'code=" "');
    const xml = `<record xmlns="${SLIM}">${LEADER}${ID('1')}${title}</record>`;
    const [record] = (await readAll(readMarcXml, Buffer.from(xml))).filter(isRecord);
    const [again] = (await readAll(readMarc21, record!.record.bytes)).filter(isRecord);
    for (const read of [record!, again!]) {
      assert.deepEqual(contentOf(read).fields[1], {
        tag: '245',
        indicators: '10',
        subfields: [{ code: ' ', value: 'Kůň' }],
      });
      assert.match(writeMarcXml(read.record), /<subfield code=" ">Kůň<\/subfield>/);
    }
  });

  it('reads a record with odd fields, and warns of them', async () => {
    const kept = TITLE.replace('</datafield>', '<subfield code="c">Pal</subfield></datafield>');
    const odd: readonly (readonly [string, string, RegExp])[] = [
      ['10', kept.replace('"a"', '"ab"'), /field 245 has the subfield code "ab": the subfield was left out$/],
      ['10', kept.replace('code="a"', ''), /field 245 has a subfield without a code: the subfield was left out$/],
      ['10', kept.replace('"a"', '"é"'), /the subfield code "é", which is not ASCII: it became "e"$/],
      ['10', kept.replace('"1"', '"12"'), /field 245 has 3 indicators: two were kept$/],
      [' 0', kept.replace('"1"', '"ñ"'), /an indicator that is not ASCII: it became a blank$/],
      ['10', `stray${kept}`, /^text outside of its fields was left out: "stray"$/],
      ['10', kept.replace('<sub', 'stray<sub'), /^text outside of its fields was left out: "stray"$/],
    ];
    for (const [indicators, field, warning] of odd) {
      const xml = collection(GOOD('first'), `<record>${LEADER}${ID('odd')}${field}</record>`, GOOD('last'));
      const read = (await readAll(readMarcXml, Buffer.from(xml), 7)).filter(isRecord);
      assert.deepEqual(
        read.map(({ id }) => id),
        ['first', 'odd', 'last'],
      );
      assert.match(read[1]!.warning!, warning);
      const [, title] = contentOf(read[1]!).fields;
      assert.ok(title !== undefined && 'subfields' in title);
      assert.deepEqual([title.indicators, title.subfields.at(-1)], [indicators, { code: 'c', value: 'Pal' }]);
    }
  });

  it('reads no record without the namespace, and says so', async () => {
    const xml = `<collection xmlns="${SLIM}"><record xmlns="">${LEADER}${ID('1')}${TITLE}</record></collection>`;
    const reason = `the record has no namespace: MARCXML has xmlns="${SLIM}", also for each record`;
    const offset = xml.indexOf('<record');
    assert.deepEqual(await readAll(readMarcXml, Buffer.from(xml)), [
      { kind: 'erratum', ordinal: 1, offset, id: '1', title: 'Kůň', reason, fault: { kind: 'no-namespace' } },
    ]);
  });

  it('takes an empty collection for a file with 0 records', async () => {
    for (const xml of [collection(), collection('<!-- none -->'), `<x:collection xmlns:x="${SLIM}"/>`]) {
      assert.deepEqual(await readAll(readMarcXml, Buffer.from(xml)), []);
    }
  });

  it('says when a file has no records', async () => {
    const reason = `the file has no records: expected <record> elements with xmlns="${SLIM}"`;
    const without = '<collection xmlns="urn:x"/>';
    for (const xml of [without, collection('<record xmlns="urn:x"/>'), collection('<collection/>')]) {
      assert.deepEqual(await readAll(readMarcXml, Buffer.from(xml)), [
        { kind: 'erratum', ordinal: 1, offset: 0, title: undefined, reason, fault: { kind: 'no-records' } },
      ]);
    }
  });
});
