import assert from 'node:assert/strict';
import { existsSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { openXmlTransform, type XmlResult, type XmlTransform } from '../../../src/records/transforms/xml-transform.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const DC = 'http://purl.org/dc/elements/1.1/';
const NSDL_DC = 'http://ns.nsdl.org/nsdl_dc_v1.02/';
const RECORD = '<mods xmlns="http://www.loc.gov/mods/v3"><title>A &lt; ü</title></mods>';

describe('a transform of XML', function () {
  this.timeout(30_000);
  const folder = useTempFolder();
  let opened: XmlTransform | undefined;
  afterEach(() => {
    opened?.close();
    opened = undefined;
  });

  it('that is included makes its format, record by record', async () => {
    await open('nsdl_dc');
    const oaiDc = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="${DC}"><dc:title>A</dc:title></oai_dc:dc>`;

    const [made, failed] = await results(oaiDc, RECORD);
    const [again] = await results(xmlOf(made));

    assert.equal(opened!.format.namespace, NSDL_DC);
    assert.match(xmlOf(made), /^<nsdl_dc:nsdl_dc .*<dc:title>A<\/dc:title><\/nsdl_dc:nsdl_dc>$/);
    assert.match(problemOf(failed), /expected oai_dc or nsdl_dc, and the root is <mods>/);
    assert.equal(xmlOf(again), xmlOf(made));
  });

  describe('by a sheet', () => {
    it('makes one element of a record, with the files of its folder', async () => {
      folder.write(
        'lib/common.xsl',
        sheetText('<xsl:template match="m:title"><dc:title><xsl:value-of select="."/></dc:title></xsl:template>'),
      );
      folder.write('terms.xml', '<terms><term>Map</term></terms>');
      folder.write('base.xsl', sheetText('<xsl:import href="lib/common.xsl"/>'));
      writeSheet(`<xsl:include href="base.xsl"/>
        <xsl:template match="/"><xsl:comment>made</xsl:comment><nsdl_dc:nsdl_dc schemaVersion="1.02.020">
          <xsl:apply-templates select="*/m:title"/><dc:subject><xsl:value-of select="document('terms.xml')//term"/></dc:subject>
        </nsdl_dc:nsdl_dc></xsl:template>`);
      await open('sheet.xsl');

      const made = await results(RECORD, RECORD.replace('A', 'B'));

      assert.equal(opened!.format.prefix, 'nsdl_dc');
      assert.match(
        xmlOf(made[0]),
        /^<nsdl_dc:nsdl_dc [^>]*><dc:title>A &lt; ü<\/dc:title><dc:subject>Map<\/dc:subject><\/nsdl_dc:nsdl_dc>$/,
      );
      assert.match(xmlOf(made[1]), /<dc:title>B &lt; ü</);
    });

    it('names its format by the first element that it writes', async () => {
      writeSheet(
        '<xsl:template match="/"><x:y xmlns:x="urn:x" xsi:schemaLocation="urn:z z.xsd urn:x x.xsd"/></xsl:template>',
      );
      await open('sheet.xsl');

      assert.deepEqual(opened!.format, { prefix: 'x', namespace: 'urn:x', schema: 'x.xsd' });
    });

    it('accepts a sheet that writes its root as text, as some of NSDL do', async () => {
      const raw = (text: string) => `<xsl:text disable-output-escaping="yes">${text}</xsl:text>`;
      writeSheet(
        `<xsl:template match="/">${raw(`&lt;n:nsdl_dc xmlns:n="${NSDL_DC}"&gt;`)}<xsl:element name="dc:title">A</xsl:element>${raw('&lt;/n:nsdl_dc&gt;')}</xsl:template>`,
      );
      await open('sheet.xsl');

      assert.match(
        xmlOf((await results(RECORD))[0]),
        /^<n:nsdl_dc xmlns:n="[^"]*">\s*<dc:title [^>]*>A<\/dc:title>\s*<\/n:nsdl_dc>$/,
      );
    });

    const faults: Readonly<Record<string, readonly [template: string, problem: RegExp]>> = {
      'two elements': ['<dc:a/><dc:b/>', /not one XML element/],
      text: ['only text', /not one XML element/],
      nothing: ['', /not one XML element/],
      'unescaped text': [
        '<dc:a><xsl:text disable-output-escaping="yes">&lt;b&gt;</xsl:text></dc:a>',
        /not one XML element/,
      ],
      'another format': ['<dc:a/>', /expected the result to be nsdl_dc, and the root is <dc:a>/],
      'a stop': [
        '<xsl:message terminate="yes">no title in <xsl:value-of select="name(*)"/></xsl:message>',
        /no title in mods/,
      ],
    };
    for (const [title, [template, problem]] of Object.entries(faults)) {
      it(`fails a record of which it makes ${title}, and goes on`, async () => {
        writeSheet(`<xsl:template match="/"><xsl:choose>
          <xsl:when test="//m:title='good'"><nsdl_dc:nsdl_dc/></xsl:when><xsl:otherwise>${template}</xsl:otherwise>
        </xsl:choose></xsl:template>`);
        await open('sheet.xsl');

        const made = await results(RECORD, RECORD.replace('A &lt; ü', 'good'));

        assert.match(problemOf(made[0]), problem);
        assert.match(xmlOf(made[1]), /^<nsdl_dc:nsdl_dc/);
      });
    }

    it('is refused before a run when it is not a sheet, with the line', async () => {
      const cases: readonly (readonly [string, RegExp])[] = [
        ['<a/>', /is not a sheet: its root is <a>/],
        ['<xsl:stylesheet', /is not XML/],
        [sheetText('\n\n<xsl:template match="a["/>'), /cannot be used: .*line 3/],
        [sheetText('<xsl:include href="missing.xsl"/>'), /cannot be used: .*missing\.xsl/],
      ];
      for (const [text, message] of cases) {
        folder.write('sheet.xsl', text);
        await assert.rejects(open('sheet.xsl'), { code: 'invalid', message });
      }
      await assert.rejects(open('other.xsl'), { code: 'invalid', message: /cannot be read/ });
    });
  });

  describe('by a sheet that asks for other files', () => {
    let server: Server;
    let requests: string[];
    let origin: string;
    beforeEach(async () => {
      requests = [];
      server = createServer(({ url }, response) => {
        requests.push(url!);
        response.end('<secret>secret</secret>');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      folder.write('secret.xml', '<secret>secret</secret>');
      folder.write('secret.xsl', sheetText('<xsl:template match="/"><secret/></xsl:template>'));
      folder.write('sheets/known.xml', '<known>known</known>');
      symlinkSync(folder.at('secret.xml'), folder.at('sheets/link.xml'));
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it('reads neither the network nor a file outside of its folder', async () => {
      const secret = folder.at('secret.xml');
      const asked = [
        `${origin}/a.xml`,
        origin.replace('http:', ''),
        secret,
        `file://${secret}`,
        pathToFileURL(secret).href,
        `file:${secret}`,
      ].concat(
        '../secret.xml',
        '%2e%2e/secret.xml',
        'link.xml',
        'sheet:///../secret.xml',
        `sheet://${secret}`,
        'data:text/xml,%3Csecret%3Esecret%3C/secret%3E',
        '/proc/self/environ',
        '/dev/stdin',
      );
      writeSheet(
        `<xsl:template match="/"><nsdl_dc:nsdl_dc><dc:title><xsl:value-of select="document(string(*))"/></dc:title></nsdl_dc:nsdl_dc></xsl:template>`,
        'sheets/sheet.xsl',
      );
      await open('sheets/sheet.xsl');

      for (const url of asked) {
        const [made] = await results(`<a>${url}</a>`);
        assert.match(problemOf(made), /asks for .*(?:is not a file of its folder|outside|does not exist)/, url);
      }

      assert.match(xmlOf((await results('<a>known.xml</a>'))[0]), />known</);
      assert.deepEqual(requests, []);
    });

    it('is refused when it includes, imports or refers to one', async () => {
      for (const href of [
        `${origin}/a.xsl`,
        '../secret.xsl',
        folder.at('secret.xsl'),
        pathToFileURL(folder.at('secret.xsl')).href,
      ]) {
        for (const text of [
          sheetText(`<xsl:include href="${href}"/>`),
          sheetText(`<xsl:import href="${href}"/>`),
          `<!DOCTYPE x [<!ENTITY e SYSTEM "${href}">]>${sheetText('<xsl:template match="/"><a>&amp;e;</a></xsl:template>').replace('&amp;e;', '&e;')}`,
        ]) {
          folder.write('sheets/sheet.xsl', text);
          await assert.rejects(open('sheets/sheet.xsl'), { code: 'invalid', message: /cannot be used/ }, text);
        }
      }
      assert.deepEqual(requests, []);
    });

    it('writes no file', async () => {
      const target = folder.at('written.xml');
      writeSheet(
        `<xsl:template match="/"><exsl:document href="${target}"><a/></exsl:document><nsdl_dc:nsdl_dc/></xsl:template>`,
        'sheets/sheet.xsl',
      );
      const made = await open('sheets/sheet.xsl').then(
        () => results(RECORD),
        () => [],
      );

      assert.equal(existsSync(target), false);
      for (const result of made) assert.ok('problem' in result || result.xml.startsWith('<nsdl_dc'));
    });
  });

  describe('of which one record needs too much', () => {
    it('time fails that record alone', async () => {
      writeSheet(`<xsl:template match="/">
        <xsl:if test="count(//b) > 2"><xsl:variable name="n" select="count(//b[count(//b[count(//b[. = //b]) > 0]) > 0])"/></xsl:if>
        <nsdl_dc:nsdl_dc/></xsl:template>`);
      await open('sheet.xsl', 500);

      const made = await results('<a/>', `<a>${'<b>c</b>'.repeat(3_000)}</a>`, '<a/>');

      assert.match(problemOf(made[1]), /took longer than 0\.5 s/);
      assert.deepEqual([xmlOf(made[0]).length > 0, xmlOf(made[2]).length > 0], [true, true]);
    });

    it('memory fails that record alone', async () => {
      writeSheet(`<xsl:template name="twice"><xsl:param name="text"/><xsl:param name="n"/>
          <xsl:choose><xsl:when test="$n = 0"><xsl:value-of select="$text"/></xsl:when><xsl:otherwise>
            <xsl:call-template name="twice"><xsl:with-param name="text" select="concat($text, $text)"/><xsl:with-param name="n" select="$n - 1"/></xsl:call-template>
          </xsl:otherwise></xsl:choose></xsl:template>
        <xsl:template match="/"><nsdl_dc:nsdl_dc><dc:title><xsl:call-template name="twice">
          <xsl:with-param name="text" select="'abcdefgh'"/><xsl:with-param name="n" select="number(*)"/>
        </xsl:call-template></dc:title></nsdl_dc:nsdl_dc></xsl:template>`);
      await open('sheet.xsl');

      const made = await results('<a>1</a>', '<a>28</a>', '<a>1</a>');

      assert.match(problemOf(made[1]), /memory/);
      assert.match(xmlOf(made[0]), /abcdefghabcdefgh</);
      assert.equal(xmlOf(made[2]), xmlOf(made[0]));
    });
  });

  it('by a mapping makes nsdl_dc of fields that are named like its elements', async () => {
    mapping({
      'dc:title': '//m:title',
      'dct:abstract': { value: ' a\n b ' },
      'dc:identifier': { from: "'http://example.org/'", first: true },
      'dc:subject': { value: 'none' },
    });
    await open('mapping.json');

    const [made, failed] = await results(RECORD, '<a/>');

    assert.match(
      xmlOf(made),
      /><dc:identifier xsi:type="dct:URI">http:\/\/example\.org\/<\/dc:identifier><dc:title>A &lt; ü<\/dc:title><dct:abstract>a b<\/dct:abstract><\/nsdl_dc/,
    );
    assert.match(problemOf(failed), /no dc:title/);
  });

  it('by a mapping with a field that nsdl_dc does not have fails the records', async () => {
    mapping({ title: '//m:title' });
    await open('mapping.json');

    assert.match(problemOf((await results(RECORD))[0]), /the field "title", which nsdl_dc does not have/);
  });

  it('by a module makes one element of nsdl_dc', async () => {
    folder.write(
      'module.mjs',
      `export default ({ id, document }) => id === '1' ? [] : { id, document: document.includes('>A') ? '<?xml version="1.0"?>\\n<a xmlns="${NSDL_DC}"/> ' : '<a' };`,
    );
    await open('module.mjs');

    const [made, broken, none] = await results(RECORD, RECORD, '<a/>');

    assert.equal(xmlOf(made), `<a xmlns="${NSDL_DC}"/>`);
    assert.match(problemOf(broken), /made 0 documents/);
    assert.match(problemOf(none), /not one XML element/);
  });

  it('is refused when it is none', async () => {
    for (const text of ['identity', 'map-3.1', 'mods', 'sheet.txt']) {
      await assert.rejects(open(text), {
        code: 'invalid',
        message: /is not a transform of XML: use nsdl_dc, oai_dc, or/,
      });
    }
  });

  async function open(text: string, recordTimeoutMs = 10_000): Promise<void> {
    opened = await openXmlTransform({
      text,
      folder: folder.path,
      recordTimeoutMs,
      signal: new AbortController().signal,
    });
  }

  function results(...records: readonly string[]): Promise<readonly XmlResult[]> {
    return opened!.transform(records.map((xml, at) => ({ id: String(at), xml })));
  }

  function writeSheet(templates: string, path = 'sheet.xsl'): void {
    folder.write(path, sheetText(templates));
  }

  function mapping(fields: object): void {
    folder.write(
      'mapping.json',
      JSON.stringify({ language: 'xpath', namespaces: { m: 'http://www.loc.gov/mods/v3' }, fields }),
    );
  }
});

function sheetText(templates: string): string {
  return `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:m="http://www.loc.gov/mods/v3" xmlns:dc="${DC}" xmlns:nsdl_dc="${NSDL_DC}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:exsl="http://exslt.org/common" extension-element-prefixes="exsl" exclude-result-prefixes="m">${templates}</xsl:stylesheet>`;
}

function xmlOf(result: XmlResult | undefined): string {
  assert.ok(result !== undefined && 'xml' in result, JSON.stringify(result));
  return result.xml;
}

function problemOf(result: XmlResult | undefined): string {
  assert.ok(result !== undefined && 'problem' in result, JSON.stringify(result));
  return result.problem;
}
