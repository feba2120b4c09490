import assert from 'node:assert/strict';
import { deleted, OAI, page, READING, RESPONSE_DATE, readPage, record, summaryOf } from '../../../support/oai-pages.ts';

const SKIP = { ...READING, malformed: 'skip' } as const;
const MB = 1024 ** 2;

/** A page whose second record of three is another one. */
const around = (second: string): string => page(record('1') + second + record('3'));

/** What is not well-formed in a record, and what is said of it. */
const MALFORMED: readonly (readonly [what: string, second: string | Buffer, problem: RegExp])[] = [
  ['an undefined entity', record('2').replace('</dc:title>', '&nbsp;</dc:title>'), /undefined entity/],
  [
    'an entity without its end',
    record('2').replace('</dc:title>', '&amp</dc:title>'),
    /: a reference has no semicolon/,
  ],
  ['a control character', record('2').replace('</dc:title>', '\u0001</dc:title>'), /U\+0001 is not allowed in XML/],
  ['U+FFFE', record('2').replace('</dc:title>', '\ufffe</dc:title>'), /U\+FFFE is not allowed in XML/],
  ['a reference to a control character', record('2').replace('</dc:title>', '&#1;</dc:title>'), /malformed character/],
  ['an XML declaration', record('2').replace('<metadata>', '<metadata><?xml version="1.0"?>'), /XML declaration/],
  ['an undeclared prefix', record('2').replaceAll('dc:title', 'x:title'), /unbound namespace prefix: "x"/],
  ['a tag without its end', record('2').replace('</dc:title>', ''), /unexpected close tag/],
  ['a document type', record('2').replace('<metadata>', '<metadata><!DOCTYPE a [<!ENTITY b "c">]>'), /doctype/],
  [
    'a byte that is not UTF-8',
    Buffer.from(record('2').replace('</dc:title>', '\xe9</dc:title>'), 'latin1'),
    /the byte E9 is not UTF-8/,
  ],
  ['a record without its end', record('2').replace('</metadata></record>', ''), /./],
];

describe('Bad pages of OAI-PMH', () => {
  for (const [what, second, problem] of MALFORMED) {
    it(`fail a harvest at the byte, or are an erratum of the record: ${what} (E16, E17)`, async () => {
      const [before, after] = around('\0').split('\0');
      const bytes = Buffer.concat([Buffer.from(before!), Buffer.from(second), Buffer.from(after!)]);
      await assert.rejects(readPage(bytes, { reading: READING }), (error: Error) => {
        assert.match(
          error.message,
          /^000001\.xml: the record "2" cannot be read: it is not well-formed XML at byte \d+: /,
        );
        assert.match(error.message, problem);
        return true;
      });
      for (const reading of [SKIP, undefined]) {
        for (const chunk of [65_536, 13]) {
          const items = summaryOf(await readPage(bytes, { reading, chunk }));
          assert.deepEqual([items[0], items[2]], ['record 1', 'record 3'], items.join('\n'));
          assert.match(items[1]!, /^erratum 2: the record "2" cannot be read/);
          assert.match(items[1]!, problem);
        }
      }
    });
  }

  it('name no record of two that may have become one', async () => {
    const two = `${record('2').replace('</record>', '')}${record('4').replace('<record>', '')}`;
    const inOneHeader = record('2').replace('<datestamp>', '<identifier>4</identifier><datestamp>');
    for (const second of [two, two.replace('</dc:title>', ''), inOneHeader]) {
      const [, erratum, ...others] = await readPage(around(second), { reading: SKIP });
      assert.deepEqual([erratum?.kind, erratum?.kind === 'erratum' && erratum.id], ['erratum', undefined]);
      assert.deepEqual(summaryOf(others), ['record 3']);
    }
  });

  it('take time for records without an end that does not grow with its square', async () => {
    const endless = record('1', { metadata: `<m xmlns="urn:m"><![CDATA[${'x'.repeat(1_000)}</m>` });
    const count = 15_000;
    const items = await readPage(page(record('0') + endless.repeat(count)), { reading: SKIP });
    assert.equal(items.filter(({ kind }) => kind === 'erratum').length, count);
  }).timeout(8_000);

  it('name the byte that is not UTF-8, wherever it is', async () => {
    const text = around(record('2', { metadata: '<m xmlns="urn:m">ü\u0001</m>' }));
    const bytes = Buffer.from(text);
    const at = bytes.indexOf(1);
    bytes[at] = 0xff;
    await assert.rejects(readPage(bytes, { reading: READING, chunk: 7 }), {
      message: new RegExp(`at byte ${at}: the byte FF is not UTF-8$`),
    });
    const inEnvelope = Buffer.from(text.replace('https://example.org', 'https://\u0001'));
    const place = inEnvelope.indexOf(1);
    inEnvelope[place] = 0xff;
    await assert.rejects(readPage(inEnvelope, { reading: SKIP }), {
      message: new RegExp(`the byte FF is not UTF-8, at byte ${place}$`),
    });
  });

  const ENVELOPES: Readonly<Record<string, readonly [page: string, problem: RegExp]>> = {
    'an empty page': ['', /document must contain a root element/],
    HTML: ['<html><body>Error<br></body></html>', /first element is <html>/],
    'another root': [page('').replaceAll('OAI-PMH', 'OAI'), /first element is <OAI> of the namespace/],
    'no namespace': [page('').replace(` xmlns="${OAI}"`, ''), /of the namespace ""/],
    'text behind the root': [`${page(record('1'))}x`, /text data outside of root node/],
    'a page that breaks off': [page(record('1')).slice(0, -20), /unclosed tag|unexpected end/],
    'a document type': [
      page(record('1'), { before: '<!DOCTYPE OAI-PMH [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>' }),
      /document type/,
    ],
    'another encoding': [page(record('1')).replace('UTF-8', 'ISO-8859-1'), /declared to be in ISO-8859-1/],
    'no responseDate': [page(record('1')).replace(/<responseDate>.*<\/responseDate>/, ''), /<request> after its begin/],
    'a responseDate of another form': [
      page(record('1')).replace(RESPONSE_DATE, '2026-11-29'),
      /responseDate is "2026-11-29"/,
    ],
    'another verb': [page('', { verb: 'Identify' }), /it is the response to Identify/],
    'an error': [
      page('').replace(/<ListRecords>[\s\S]*<\/ListRecords>/, '<error code="badVerb">no</error>'),
      /the error badVerb: "no"/,
    ],
    'an error beside records': [
      page(record('1')).replace('</ListRecords>', '</ListRecords><error code="badVerb">no</error>'),
      /<error> after ListRecords/,
    ],
    'text between records': [page(`${record('1')}text${record('2')}`), /the text "text"/],
    'another element between records': [page(`${record('1')}<x/>`), /it has <x> beside its records/],
    'two tokens': [page('<resumptionToken/><resumptionToken/>'), /more than one resumptionToken/],
    'a token that never ends': [
      page(`<resumptionToken>${'x'.repeat(1_100_000)}</resumptionToken>`),
      /1000000 characters/,
    ],
    'a comment that never ends': [page(`<!-- ${'> '.repeat(600_000)} -->`), /1000000 characters/],
  };
  for (const [what, [content, problem]] of Object.entries(ENVELOPES)) {
    it(`fail a harvest, and are the last erratum of an upload: ${what} (E19, e7)`, async () => {
      for (const reading of [READING, SKIP]) {
        await assert.rejects(readPage(content, { reading }), (error: Error & { code: string }) => {
          assert.equal(error.code, 'invalid');
          assert.match(error.message, /^000001\.xml: the page cannot be read at byte \d+: /);
          assert.match(error.message, problem);
          return true;
        });
      }
      const items = summaryOf(await readPage(content));
      assert.match(
        items.at(-1)!,
        /^erratum: the page cannot be read at byte \d+: .*; nothing behind this place is read$/,
      );
    });
  }

  it('do no harm with white space and comments around the root, and with no records', async () => {
    const around = `<?xml-stylesheet href="a.xsl"?><!-- a -->`;
    assert.deepEqual(await readPage(`${page('', { before: around })}<!-- b -->\n\n`, { reading: READING }), []);
    const none = page('').replace(/<ListRecords>[\s\S]*<\/ListRecords>/, '<error code="noRecordsMatch"/>');
    assert.deepEqual(await readPage(none, { reading: READING }), []);
    const token = page(`${record('1')}<resumptionToken cursor="0">a&gt;b</resumptionToken>`);
    assert.deepEqual(summaryOf(await readPage(token, { reading: READING })), ['record 1']);
  });

  const INVALID: readonly (readonly [what: string, second: string, problem: string])[] = [
    ['no identifier', record('2').replace('<identifier>2</identifier>', ''), 'its header has no identifier'],
    [
      'a set and no datestamp',
      record('2').replace('<datestamp>2026-02-03</datestamp>', '<setSpec>a</setSpec>'),
      'its header has no datestamp',
    ],
    ['an empty identifier', record(' \n'), 'its header has no identifier'],
    ['an identifier with a tab', record('2\t3'), 'an id has no control characters: "2\\t3"'],
    ['no datestamp', record('2').replace('<datestamp>2026-02-03</datestamp>', ''), 'its header has no datestamp'],
    [
      'a datestamp of another form',
      record('2', { datestamp: '2026-02-03T04:05:06.789Z' }),
      'its datestamp is "2026-02-03T04:05:06.789Z": expected one such as',
    ],
    [
      'a datestamp that is no day',
      record('2', { datestamp: '2026-02-30' }),
      'its datestamp is "2026-02-30": expected one such as',
    ],
    ['no header', '<record><metadata><a xmlns="urn:a"/></metadata></record>', 'it has metadata first'],
    ['no metadata', record('2').replace(/<metadata>.*<\/metadata>/, ''), 'it has no metadata, and is not deleted'],
    ['empty metadata', record('2', { metadata: ' ' }), 'its metadata has no element'],
    [
      'two elements of metadata',
      record('2', { metadata: '<a xmlns="urn:a"/><a xmlns="urn:a"/>' }),
      'its metadata has more than one element',
    ],
    ['text as metadata', record('2', { metadata: 'text' }), 'it has the text "text" between its elements'],
    ['an empty about', record('2', { more: '<about/>' }), 'its about has no element'],
    [
      'metadata twice',
      record('2', { more: '<metadata><a xmlns="urn:a"/></metadata>' }),
      'it has metadata after metadata',
    ],
    ['another element', record('2', { more: '<other/>' }), 'it has other after metadata'],
    ['another status', deleted('2').replace('deleted', 'new'), 'its status is "new": expected "deleted"'],
    ['another attribute', record('2').replace('<record>', '<record id="2">'), 'its record has the attribute id'],
    [
      'elements that are too deep',
      record('2', { metadata: `${'<a xmlns="urn:a">'.repeat(300)}${'</a>'.repeat(300)}` }),
      'its elements are nested more than 256 deep',
    ],
    ['another namespace', record('2').replace('<record>', '<record xmlns="urn:r">'), 'it is in the namespace "urn:r"'],
  ];
  for (const [what, second, problem] of INVALID) {
    it(`have an erratum for a record that the schema does not allow: ${what} (E19, e7)`, async () => {
      const items = summaryOf(await readPage(around(second), { reading: { ...READING, namespace: undefined } }));
      assert.deepEqual([items[0], items[2]], ['record 1', 'record 3'], items.join('\n'));
      assert.ok(/^erratum.*?: /.test(items[1]!) && items[1]!.includes(problem), items[1]);
    });
  }

  it('have warnings for what is odd', async () => {
    const odd = [
      deleted('1', `<metadata><a xmlns="urn:a"/></metadata>`),
      record('2', { datestamp: '2026-11-29T04:01:01Z', specs: ['a'] }),
      record('3', { datestamp: '2026-11-29', specs: ['a:b'] }),
      record('4', { specs: ['ab', 'c d'] }),
      record('5', { specs: ['a', 'c d'] }),
    ];
    const items = await readPage(page(odd.join('')), { reading: { ...READING, sets: ['a', 'x'] } });
    assert.deepEqual(summaryOf(items), [
      'deletion 1',
      'warning 1: it is deleted, and has metadata: it is taken as deleted',
      'warning 1: it is in none of the requested sets',
      'record 2 (its datestamp "2026-11-29T04:01:01Z" is more than a minute later than the response)',
      'record 3',
      'record 4 (it is in none of the requested sets; OAI-PMH does not allow the setSpec "c d": it is kept)',
      'record 5',
    ]);
  });

  it('have deletions, and the last of several records with one identifier counts', async () => {
    const items = await readPage(page(record('1') + deleted('2') + record('1')), { reading: READING });
    assert.deepEqual(summaryOf(items), [
      'record 1',
      'deletion 2',
      'record 1 (the file has the id "1" more than once: of records with one id, the last counts)',
    ]);
    assert.deepEqual(
      items.map(({ ordinal }) => ordinal),
      [1, 2, 3],
    );
    assert.ok(items.every(({ offset }, at) => at === 0 || offset > items[at - 1]!.offset));
  });

  it('have an erratum for a record of more than 16 MB, in memory that does not grow', async () => {
    const long = (bytes: number) => record('2', { metadata: `<m xmlns="urn:m">${'ü'.repeat(bytes / 2)}</m>` });
    const reading = { ...READING, namespace: undefined };
    for (const mb of [17, 40]) {
      const items = summaryOf(await readPage(around(long(mb * MB)), { reading }));
      assert.deepEqual(items, [
        'record 1',
        'erratum 2: the record "2" cannot be read: it has more than 16 MB',
        'record 3',
      ]);
    }
    const just = summaryOf(await readPage(page(long(15 * MB)), { reading, chunk: 1_000_000 }));
    assert.deepEqual(just, ['record 2']);
  }).timeout(20_000);
});

describe('A static repository', () => {
  const STATIC = 'http://www.openarchives.org/OAI/2.0/static-repository';
  const prefixed = (xml: string) => xml.replace(/<(\/?)(record|header|identifier|datestamp|metadata)\b/g, '<$1oai:$2');
  const repository = (lists: string) =>
    `<Repository xmlns="${STATIC}" xmlns:oai="${OAI}"><Identify><oai:repositoryName>a</oai:repositoryName></Identify>` +
    `<ListMetadataFormats><oai:metadataFormat/></ListMetadataFormats>${lists}</Repository>`;
  const list = (prefix: string, content: string) =>
    `<ListRecords metadataPrefix="${prefix}">${prefixed(content)}</ListRecords>`;

  it('has the records of the requested format', async () => {
    const xml = repository(
      list('other', record('1', { metadata: '<m xmlns="urn:m"/>' })) + list('oai_dc', record('2')),
    );
    const warning = 'are not read: an upload has one format';
    assert.deepEqual(summaryOf(await readPage(xml, { reading: READING })), [
      'record 2',
      `warning: its records in the format "other" ${warning}`,
    ]);
    assert.deepEqual(summaryOf(await readPage(xml)), [
      'record 1',
      `warning: its records in the format "oai_dc" ${warning}`,
    ]);
    await assert.rejects(readPage(xml, { reading: { ...READING, format: 'mods' } }), /no records in the format mods/);
  });
});
