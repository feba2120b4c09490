import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RecordParser } from '../../../../src/records/forms/oai/record-parser.ts';
import { UsualRecords } from '../../../../src/records/forms/oai/usual-records.ts';
import { DC, documentsOf, OAI, OAI_DC, page, record, recordsOf } from '../../../support/oai-pages.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const ABOUT = `<p:provenance xmlns:p="urn:p" xmlns:xsi="${XSI}"><p:x>1</p:x></p:provenance>`;

/** The same record, in one way to write it and in others. */
const METADATA =
  `<oai_dc:dc xmlns:dc="${DC}" xmlns:oai_dc="${OAI_DC}" xmlns:xsi="${XSI}" xsi:schemaLocation="a b">` +
  '<dc:title xml:lang="en">A &amp; B &lt;i&gt; "q" \'a\' ü𝒳</dc:title>\n <dc:subject></dc:subject><dc:x a="1" b="&quot;&lt;"></dc:x></oai_dc:dc>';
const RECORD = record('oai:x:1', { specs: ['a', 'b'], metadata: METADATA, more: `<about>${ABOUT}</about>` });

const WRITTEN: Readonly<Record<string, string>> = {
  'white space between elements': page(
    RECORD.replace(/>(?=<\/?(?:record|header|identifier|datestamp|setSpec|metadata|about)\b)/g, '>\n\t '),
  ),
  'white space in tags': page(
    RECORD.replaceAll('</dc:title>', '</dc:title\n>').replace('<dc:x a="1"', "<dc:x\n\ta = '1' "),
  ),
  'another order and other quotes': page(
    RECORD.replace('a="1" b="&quot;&lt;"', `b='"&lt;' a="1"`)
      .replace(`xmlns:dc="${DC}" `, '')
      .replace('a b">', `a b" xmlns:dc='${DC}'>`),
  ),
  'an empty element': page(RECORD.replace('<dc:subject></dc:subject>', '<dc:subject />')),
  CDATA: page(RECORD.replace('A &amp; B &lt;i&gt;', '<![CDATA[A & B <i>]]>')),
  'other references': page(
    RECORD.replace('A &amp; B &lt;i&gt; "q" \'a\'', '&#65; &#x26; B &lt;i> &quot;q&quot; &apos;a&apos;').replace(
      'ü',
      '&#xFC;',
    ),
  ),
  'line ends of Windows': page(RECORD).replaceAll('\n', '\r\n'),
  'its namespaces around it': page(RECORD.replaceAll(` xmlns:xsi="${XSI}"`, ''), {
    declarations: `xmlns:xsi="${XSI}"`,
  }),
  'its namespaces at the record': page(
    RECORD.replaceAll(` xmlns:xsi="${XSI}"`, '').replace('<record>', `<record xmlns:xsi="${XSI}">`),
  ),
  'its namespaces at the metadata': page(
    RECORD.replace(` xmlns:xsi="${XSI}"`, '').replace('<metadata>', `<metadata xmlns:xsi="${XSI}">`),
  ),
  'a prefix for OAI-PMH': withPrefix(page(RECORD)),
  'a comment and an instruction between elements': page(
    `<!-- <record> --><?x <record> ?>${RECORD.replace('</header>', '</header><!-- > -->').replace('</metadata>', '</metadata><?x?>')}`,
  ),
  'a response to GetRecord': page(RECORD, { verb: 'GetRecord' }),
};

function withPrefix(xml: string): string {
  const names = 'OAI-PMH|responseDate|request|ListRecords|record|header|identifier|datestamp|setSpec|metadata|about';
  return xml
    .replace(new RegExp(`<(/?)(${names})(?=[ >])`, 'g'), '<$1oai:$2')
    .replace(`xmlns="${OAI}"`, `xmlns:oai="${OAI}"`);
}

describe('A record of OAI-PMH', () => {
  it('has the same bytes, however its page is written', async () => {
    const [expected] = await documentsOf(page(RECORD));
    assert.equal(expected!.toString(), RECORD.replace('<record>', `<record xmlns="${OAI}">`));
    for (const [how, xml] of Object.entries(WRITTEN)) {
      for (const chunk of [1_000_000, 61, 1]) {
        assert.equal(String(await documentsOf(xml, { chunk })), String(expected), `${how}, ${chunk}`);
      }
    }
  });

  it('is a document of its own: it declares every namespace that is in scope', async () => {
    const declarations = 'xmlns:a="urn:a" xmlns:q="urn:q"';
    const inner = '<a:x xmlns:b="urn:b" type="q:name"><b:y></b:y></a:x>';
    const [one] = await recordsOf(page(record('1', { metadata: inner }), { declarations }));
    assert.equal(one!.metadata, '<a:x xmlns:a="urn:a" xmlns:b="urn:b" xmlns:q="urn:q" type="q:name"><b:y></b:y></a:x>');
  });

  it('keeps the namespace of elements without a prefix', async () => {
    const none = withPrefix(page(record('1', { metadata: '<x xmlns=""><y></y></x>' }))).replace(' xmlns=""', '');
    assert.equal((await recordsOf(none))[0]!.metadata, '<x xmlns=""><y></y></x>');
    const ofOai = page(record('1', { metadata: '<x><y></y></x>' }));
    assert.equal((await recordsOf(ofOai))[0]!.metadata, `<x xmlns="${OAI}"><y></y></x>`);
    const other = withPrefix(
      page(record('1', { metadata: '<x><y></y></x>' }), { declarations: 'xmlns="urn:d"' }).replace(
        `xmlns="${OAI}"`,
        `xmlns:oai="${OAI}"`,
      ),
    );
    assert.equal((await recordsOf(other))[0]!.metadata, '<x xmlns="urn:d"><y></y></x>');
    // The prefix of the envelope is part of a value.
    const named = withPrefix(page(record('1', { metadata: '<x xmlns="urn:x" type="oai:recordType"></x>' })));
    assert.equal(
      (await recordsOf(named))[0]!.metadata,
      `<x xmlns="urn:x" xmlns:oai="${OAI}" type="oai:recordType"></x>`,
    );
  });

  it('keeps text and white space, comments and instructions of its metadata', async () => {
    const metadata = '<m xmlns="urn:m">\n  a\t<!-- </metadata> --><?p q?>b &#xD; <n xml:space="preserve">  </n></m>';
    const [one] = await recordsOf(page(record('1', { metadata })));
    assert.equal(one!.metadata, metadata.replace('</metadata>', '</metadata >'));
  });

  it('may have metadata with the names of OAI-PMH', async () => {
    const marc =
      '<collection xmlns="urn:m"><record><header><identifier>no</identifier></header><metadata></metadata></record></collection>';
    const items = await recordsOf(page([record('1', { metadata: marc }), record('2', { metadata: marc })].join('\n')));
    assert.deepEqual(
      items.map(({ header }) => header.identifier),
      ['1', '2'],
    );
    assert.equal(items[0]!.metadata, marc.replace('</metadata>', '</metadata >'));
  });

  it('has an identifier and sets with any characters, of any length (E47)', async () => {
    const ids = ['a/b//c', 'a b', 'a,b', "l'été", '%2F?#', 'x'.repeat(1_000), '..', '(a)'];
    const items = await recordsOf(page(ids.map((id) => record(id, { specs: [id] })).join('')));
    assert.deepEqual(
      items.map(({ header }) => [header.identifier, header.setSpecs]),
      ids.map((id) => [id, [id]]),
    );
  });
});

const names = fc.constantFrom('p:b', 'b:c', 'p:a', 'q:x', 'metadata', 'record');
const odd = fc.constantFrom(
  '',
  ' ',
  'x',
  'ü',
  '&amp;',
  '>',
  '&gt;',
  '&#x41;',
  '&quot;',
  '\n\t',
  '<![CDATA[<]]>',
  '<!-- a -->',
  '&nbsp;',
  ']]>',
  'a:b',
  '&#13;',
);
const texts = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('x', ' ', '\n', '&amp;', 'a>b') },
  { weight: 1, arbitrary: odd },
);
const values = fc.constantFrom("''", '"x"', '"a>b"', "'&lt;'", '"\n"', '"&#10;"', "'\"'", '"urn:a"');
const attributes = fc
  .uniqueArray(fc.constantFrom('a', 'p:a', 'q:a', 'xml:lang', 'xmlns', 'xmlns:p', 'xmlns:q', 'xmlns:b', 'z'), {
    maxLength: 2,
  })
  .chain((chosen) =>
    fc.tuple(...chosen.map((name) => values.map((value) => ` ${name}${value.length > 3 ? ' = ' : '='}${value}`))),
  );
const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc
    .tuple(names, attributes, fc.oneof({ maxDepth: 3 }, fc.constant('/'), tie('content')))
    .map(([name, written, content]) => {
      const start = `<${name}${written.join('')}`;
      return content === '/' ? `${start}/>` : `${start}>${content}</${name}>`;
    }),
  content: fc.array(fc.oneof(texts, tie('element')), { maxLength: 4 }).map((parts) => parts.join('')),
}));

describe('The fast way to cut a record', () => {
  it('makes the same of it as the parser, or leaves it to the parser', () => {
    let usual = 0;
    const scopes = fc.constantFrom<[string, string][]>(
      [
        ['', OAI],
        ['p', 'urn:p'],
        ['q', 'urn:q'],
        ['b', 'urn:b'],
      ],
      [
        ['', OAI],
        ['p', OAI],
        ['q', 'urn:p'],
      ],
      [
        ['o', OAI],
        ['', 'urn:d'],
        ['p', 'urn:p'],
      ],
      [
        ['o', OAI],
        ['p', 'urn:p'],
      ],
    );
    fc.assert(
      fc.property(scopes, element, element, (scope, metadata, about) => {
        const p = scope[0]![0] === '' ? '' : 'o:';
        const xml = record('1', { metadata, more: `<about>${about}</about>` });
        const start = /<(\/?)(record|header|identifier|datestamp|about|metadata)>/g;
        const text = p === '' ? xml : prefixed(xml, { metadata, about, start });
        const fast = new UsualRecords(new Map(scope), scope[0]![0]).read(text);
        if (fast === undefined) return;
        usual += 1;
        const parser = new RecordParser(new Map(scope));
        parser.write(text);
        assert.equal(parser.end, text.length);
        assert.deepEqual({ ...fast, problem: undefined }, parser.result());
      }),
      { numRuns: 3_000 },
    );
    assert.ok(usual > 100, `${usual} were usual`);
  });

  it('makes the same of what it has made', async () => {
    await fc.assert(
      fc.asyncProperty(element, async (metadata) => {
        const declarations = 'xmlns:p="urn:p" xmlns:q="urn:q" xmlns:b="urn:b"';
        const [item] = await recordsOf(page(record('1', { metadata }), { declarations })).catch(() => []);
        if (item?.metadata === undefined) return;
        const [again] = await recordsOf(page(record('1', { metadata: item.metadata })));
        assert.equal(again!.metadata, item.metadata);
      }),
      { numRuns: 500 },
    );
  });
});

/** The envelope of a record with the prefix `o`, but not its elements. */
function prefixed(xml: string, { metadata, about, start }: { metadata: string; about: string; start: RegExp }): string {
  const [head, rest = ''] = xml.split(`<metadata>${metadata}</metadata>`);
  const tail = rest.slice(`<about>${about}</about>`.length);
  const inner = `<o:metadata>${metadata}</o:metadata><o:about>${about}</o:about>`;
  return head!.replace(start, '<$1o:$2>') + inner + tail.replace(start, '<$1o:$2>');
}
