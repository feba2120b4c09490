import assert from 'node:assert/strict';
import { FetchFailure } from '../../../../src/client/read/fetcher.ts';
import { PageScan, type ScannedPage } from '../../../../src/records/forms/oai/page-scan.ts';

const OAI = 'http://www.openarchives.org/OAI/2.0/';
const DATE = '<responseDate>2026-11-29T04:00:00Z</responseDate><request verb="ListRecords">http://a/oai</request>';

function scan(text: string | Buffer, chunkBytes = Number.POSITIVE_INFINITY): ScannedPage & { identifiers: string[] } {
  const identifiers: string[] = [];
  const scanning = new PageScan({ format: 'oai_dc', onIdentifier: (identifier) => identifiers.push(identifier) });
  const bytes = Buffer.from(text as string);
  for (let at = 0; at < bytes.length; at += chunkBytes) scanning.write(bytes.subarray(at, at + chunkBytes));
  return { ...scanning.end(), identifiers };
}

const page = (inner: string, root = `OAI-PMH xmlns="${OAI}"`): string =>
  `<?xml version="1.0"?><${root}>${DATE}<ListRecords>${inner}</ListRecords></${root.split(' ')[0]}>`;

const record = (identifier: string, metadata = '<a/>'): string =>
  `<record><header><identifier>${identifier}</identifier><datestamp>2020-01-01</datestamp></header><metadata>${metadata}</metadata></record>`;

describe('PageScan', () => {
  it('finds headers, token and sizes, however the answer is cut into chunks', () => {
    const text = page(
      `<!-- <x> -->${record('oai:a:1', '<t><![CDATA[</metadata></record><resumptionToken>no</resumptionToken>]]></t>')}` +
        `${record(' a&amp;b&#x20;<![CDATA[&amp;]]>')}<resumptionToken completeListSize='7' cursor="0"> to&lt;ken </resumptionToken>`,
    );
    const whole = scan(text);
    assert.deepEqual(whole, {
      responseDate: '2026-11-29T04:00:00Z',
      errors: [],
      records: 2,
      lastIdentifier: 'a&b &amp;',
      token: 'to<ken',
      completeListSize: 7,
      isStatic: false,
      identifiers: ['oai:a:1', 'a&b &amp;'],
    });
    for (const bytes of [1, 2, 3, 7, 64]) assert.deepEqual(scan(text, bytes), whole);
  });

  it('refuses a long tag that is not well-formed, and a reference to half a character, in little time', () => {
    const began = performance.now();
    for (const token of [`<resumptionToken ${'a'.repeat(300_000)}>t`, '<resumptionToken>&#xD800;']) {
      assert.throws(() => scan(page(`${record('1')}${token}</resumptionToken>`)), { message: /not well-formed/ });
    }
    assert.ok(performance.now() - began < 2_000);
  });

  it('is not misled by other prefixes, comments, or elements of the same name in metadata', () => {
    const foreign =
      `<record xmlns="urn:marc"><header><identifier>no</identifier></header><resumptionToken>no</resumptionToken></record>` +
      `<x a="&lt;/metadata>>" b='"'/><!-- </record> --><resumptionToken xmlns="${OAI}">no</resumptionToken>`;
    const text = page(`${record('one', foreign)}<resumptionToken/>`);
    const found = scan(text);
    assert.deepEqual([found.identifiers, found.token], [['one'], '']);

    const prefixed = text
      .replace('<resumptionToken/>', '<o:resumptionToken/>')
      .replaceAll(/<(\/?)(OAI-PMH|responseDate|request|ListRecords|metadata)\b/g, '<$1o:$2')
      .replace('xmlns=', 'xmlns:o=')
      .replace('<record><header>', `<record xmlns="${OAI}"><header>`);
    assert.deepEqual([scan(prefixed).identifiers, scan(prefixed).records], [['one'], 1]);
  });

  it('goes on behind a record with malformed metadata', () => {
    for (const wrong of ['<open>', '</close></close></close>', 'a < b && c', '<b></i>', '\u0000']) {
      const found = scan(page(`${record('one', wrong)}${record('two')}<resumptionToken>t</resumptionToken>`));
      assert.deepEqual([found.identifiers, found.token], [['one', 'two'], 't'], wrong);
    }
  });

  it('takes errors with their words', () => {
    const text = `<OAI-PMH xmlns="${OAI}">${DATE}<error code="noRecordsMatch">Nothing &amp; none</error></OAI-PMH>`;
    const errors = [{ code: 'noRecordsMatch', text: 'Nothing & none' }];
    assert.deepEqual(scan(text).errors, errors);
    assert.deepEqual(scan(text.replace(/<request.*<\/request>/, '')).errors, errors);
    const beside = text.replace('</OAI-PMH>', `<ListRecords>${record('one')}</ListRecords></OAI-PMH>`);
    assert.throws(() => scan(beside), { message: /error beside records \(noRecordsMatch: Nothing & none\)/ });
  });

  it('accepts comments and white space around the root, and nothing else', () => {
    assert.equal(scan(`\ufeff${page(record('one'))}\n<!-- </OAI-PMH> more -->\n<?end?>\n`).records, 1);
    for (const [text, reason] of [
      [`${page('')}more`, /text data outside of root node \(byte \d+\)/],
      [`${page('')}<a/>`, /documents may contain only one root/],
      ['<!DOCTYPE html><html></html>', /DOCTYPE/],
      ['<html><body></body></html>', /first element is <html>/],
      ['<OAI-PMH></OAI-PMH>', /first element is <OAI-PMH> of the namespace/],
      [
        page(record('one')).replaceAll('ListRecords>', 'GetRecord>'),
        /response to GetRecord: expected one to ListRecords/,
      ],
      ['{"error": 1}', /text data outside of root node/],
      ['\ufffd', /text data outside of root node/],
      [`${page('').replace('</ListRecords>', '</ListSets>')}`, /unexpected close tag/],
    ] as const) {
      assert.throws(() => scan(text), { message: reason }, text);
    }
  });

  it('says of an answer that is cut off at any byte that it is not complete', () => {
    const text = page(`${record('one')}<resumptionToken>t</resumptionToken>`);
    for (let bytes = 0; bytes < text.length; bytes++) {
      assert.throws(() => scan(text.slice(0, bytes)), FetchFailure, String(bytes));
    }
  });

  it('refuses a token above 100 kB, and keeps no more than a tag of a long page', () => {
    assert.throws(() => scan(page(`<resumptionToken>${'t'.repeat(100_001)}</resumptionToken>`)), /more than 100 kB/);
    assert.throws(() => scan(page(`<a b="${'x'.repeat(1_100_000)}`), 65_536), /no tag and no text/);
  });

  it('reads the list of the asked format of a static repository', () => {
    const text = `<Repository xmlns="${OAI}static-repository" xmlns:oai="${OAI}"><ListRecords metadataPrefix="other"><oai:record><oai:header><oai:identifier>no</oai:identifier></oai:header></oai:record></ListRecords><ListRecords metadataPrefix="oai_dc"><oai:record><oai:header><oai:identifier>yes</oai:identifier></oai:header></oai:record></ListRecords></Repository>`;
    const { identifiers, isStatic, records } = scan(text);
    assert.deepEqual({ identifiers, isStatic, records }, { identifiers: ['yes'], isStatic: true, records: 1 });
  });
});
