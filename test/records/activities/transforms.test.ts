import assert from 'node:assert/strict';
import { loadTransform } from '../../../src/records/transforms/load-transform.ts';
import type { Transform, TransformInput } from '../../../src/records/transforms/transform.ts';
import { TransformRunner } from '../../../src/records/transforms/transform-runner.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const CONTEXT = { provider: 'cdl', activity: 'mapping', generator: 'cdl/harvest/x.avro' } as const;
const OAI = `<record xmlns="http://www.openarchives.org/OAI/2.0/"><metadata>
  <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>  A map
    </dc:title><dc:title/><dc:creator>One</dc:creator><dc:creator>Two &amp; three</dc:creator>
    <dc:identifier>https://example.org/1</dc:identifier><dc:identifier>local 1</dc:identifier>
    <dc:date begin="1899" end="1901">about 1900</dc:date>
  </oai_dc:dc></metadata></record>`;
const NAMESPACES = { dc: 'http://purl.org/dc/elements/1.1/' };

describe('transforms', () => {
  const folder = useTempFolder();

  it('take documents over as they are by the identity', async () => {
    const identity = await loadTransform('identity', folder.path);

    assert.deepEqual(await apply(identity, { document: ' <a/>\r\n' }), { id: 'a/1 ž', document: ' <a/>\r\n' });
  });

  describe('by a mapping', () => {
    it('fill fields from XML by XPath: lists, first values, IRIs, constants, objects and lists of objects', async () => {
      const mapping = await load({
        language: 'xpath',
        comment: 'Dublin Core',
        namespaces: NAMESPACES,
        fields: {
          '@id': { value: 'https://example.org/{provider}/{id}' },
          note: { value: { by: ['{provider} {id}', 5] } },
          titles: '//dc:title',
          creator: { from: '//dc:creator', first: true },
          shown: { from: "//dc:identifier[starts-with(., 'https:')]", iri: true, first: true },
          none: '//dc:subject',
          source: {
            fields: {
              date: { each: '//dc:date', fields: { begin: { from: '@begin', first: true }, label: './text()' } },
              count: { from: 'count(//dc:creator)', first: true },
            },
          },
        },
      });

      const { id, document } = await apply(mapping, { document: `\ufeff${OAI}`, mimetype: 'application/xml' });

      assert.equal(id, 'a/1 ž');
      assert.deepEqual(JSON.parse(document), {
        '@id': 'https://example.org/cdl/a%2F1%20%C5%BE',
        note: { by: ['cdl a/1 ž', 5] },
        titles: ['A map'],
        creator: 'One',
        shown: { '@id': 'https://example.org/1' },
        source: { date: [{ begin: '1899', label: ['about 1900'] }], count: '2' },
      });
    });

    it('fill fields from JSON by JSONPath', async () => {
      const mapping = await load({
        language: 'jsonpath',
        fields: {
          title: '$.dc.title',
          creators: '$.dc.creators[*].name',
          year: { from: '$..year', first: true },
          parts: { each: '$.parts', fields: { name: { from: '$.n', first: true } } },
          none: '$.missing',
          object: '$.dc',
        },
      });
      const given = {
        dc: { title: ['One ', ''], creators: [{ name: 'A' }, { name: 'B' }], year: 1899 },
        parts: [{ n: 'x' }, {}, { n: 'y' }],
      };

      const { document } = await apply(mapping, { document: JSON.stringify(given), mimetype: 'application/json' });

      assert.deepEqual(JSON.parse(document), {
        title: ['One'],
        creators: ['A', 'B'],
        year: '1899',
        parts: [{ name: 'x' }, { name: 'y' }],
      });
    });

    it('fail a record that lacks what is required, is not XML or JSON, or of another kind, each with its word', async () => {
      const xpath = await load({ language: 'xpath', fields: { title: { from: '//title', required: true } } });
      const jsonpath = await load({ language: 'jsonpath', fields: { title: '$.title' } });
      const bomb = `<!DOCTYPE a [<!ENTITY a "haha">${Array.from({ length: 20 }, (_, at) => `<!ENTITY ${'b'.repeat(at + 1)} "${`&${at === 0 ? 'a' : 'b'.repeat(at)};`.repeat(9)}">`).join('')}]><a>&${'b'.repeat(20)};</a>`;

      const cases: readonly (readonly [Transform, Partial<TransformInput>, string, RegExp])[] = [
        [xpath, { document: '<a/>' }, 'missing-field', /^it has no title \(\/\/title\)$/],
        [xpath, { document: '<a><b></a>' }, 'not-xml', /not XML: .*end tag "a"/],
        [xpath, { document: bomb }, 'not-xml', /too much entity expansion/],
        [xpath, { document: '{}', mimetype: 'application/json' }, 'mimetype', /is application\/json/],
        [jsonpath, { document: '{' }, 'not-json', /not JSON/],
        [jsonpath, { document: '<a/>', mimetype: 'application/xml' }, 'mimetype', /is application\/xml/],
      ];
      for (const [transform, input, kind, message] of cases) {
        assert.throws(() => transform.transform({ id: 'a', document: '', ...input }, CONTEXT), { kind, message });
      }
    });

    it('are refused before a run with the field and what is wrong', async () => {
      const cases: readonly (readonly [unknown, RegExp])[] = [
        [
          { language: 'xpath', fields: { a: '//dc:title' } },
          /expression of a is wrong \(\/\/dc:title\): XPST0081: .*dc/,
        ],
        [{ language: 'xpath', fields: { o: { fields: { a: '//x[' } } } }, /expression of o \/ a is wrong/],
        [{ language: 'xpath', fields: { a: 'nofn(1)' } }, /XPST0017.*nofn/],
        [{ language: 'jsonpath', fields: { a: 'title' } }, /expression of a is wrong \(title\): expected '\$'/],
        [{ language: 'xslt', fields: {} }, /is not a mapping: language/],
        [{ language: 'xpath', fields: { a: { frm: '//x' } } }, /is not a mapping: fields \/ a/],
        ['nonsense', /is not a mapping/],
      ];
      for (const [mapping, message] of cases) await assert.rejects(load(mapping), { code: 'invalid', message });
    });

    it('may begin with a byte order mark', async () => {
      assert.ok(await load({ language: 'jsonpath', fields: { title: '$.title' } }, '\ufeff'));
    });

    function load(mapping: unknown, before = ''): Promise<Transform> {
      folder.write('mapping.json', before + JSON.stringify(mapping));
      return loadTransform('./mapping.json', folder.path);
    }
  });

  it('of a sheet of XSLT run in a thread, for XML documents', async () => {
    folder.write(
      'sheet.xsl',
      '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><made><xsl:value-of select="*"/></made></xsl:template></xsl:stylesheet>',
    );
    const { signal } = new AbortController();
    const runner = await TransformRunner.open({
      text: 'sheet.xsl',
      folder: folder.path,
      recordTimeoutMs: 10_000,
      signal,
    });
    try {
      const records = [
        { id: 'a', document: '<a>b</a>', mimetype: 'application/xml' },
        { id: 'b', document: '{}', mimetype: 'application/json' },
      ];
      const [made, failed] = await runner.transform(records, { schema: 'MAP.4_0.MAPRecord.v1', context: CONTEXT });

      assert.deepEqual(made, { records: [{ id: 'a', document: '<made>b</made>' }] });
      assert.ok(failed !== undefined && 'problem' in failed);
      assert.equal(failed.problem.kind, 'mimetype');
    } finally {
      runner.close();
    }
  });

  describe('of a module', () => {
    it('are a function, or an object with a schema', async () => {
      folder.write('one.mjs', 'export default ({ id, document }, { provider }) => ({ id: provider + id, document });');
      folder.write(
        'two.mjs',
        "export const schema = 'MAP.3_1.IndexRecord.v1'; export async function transform(record) { return [record, record]; }",
      );

      const one = await loadTransform('one.mjs', folder.path);
      const two = await loadTransform(folder.at('two.mjs'), '/');

      assert.deepEqual(
        [one.name, one.schema, two.name, two.schema],
        ['one.mjs', undefined, 'two.mjs', 'MAP.3_1.IndexRecord.v1'],
      );
      assert.deepEqual(await one.transform({ id: 'a', document: 'x' }, CONTEXT), { id: 'cdla', document: 'x' });
      assert.equal(((await two.transform({ id: 'a', document: 'x' }, CONTEXT)) as []).length, 2);
    });

    it('are refused when they are none', async () => {
      folder.write('none.mjs', 'export const other = 1;');
      folder.write('broken.mjs', 'export default (');
      folder.write('schema.mjs', "export const schema = 'OriginalRecord.v1'; export default () => [];");
      const cases = {
        'none.mjs': /is not a transform: export a function/,
        'broken.mjs': /cannot be loaded/,
        'schema.mjs': /exports the schema "OriginalRecord.v1"/,
        'missing.mjs': /cannot be loaded/,
        'missing.json': /cannot be read/,
        mapping: /use identity, .*or the path/,
      };
      for (const [name, message] of Object.entries(cases)) {
        await assert.rejects(loadTransform(name, folder.path), { code: 'invalid', message });
      }
    });
  });
});

async function apply(transform: Transform, input: Partial<TransformInput>): Promise<{ id: string; document: string }> {
  const made = await transform.transform({ id: 'a/1 ž', document: '', ...input }, CONTEXT);
  assert.ok(made !== null && made !== undefined && 'document' in made);
  return made;
}
