import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Erratum } from '../../src/records/errata/erratum.ts';
import { eachErratum } from '../../src/records/errata/read-errata.ts';
import { removeOriginals } from '../../src/records/removal/remove-originals.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { encodeSampleXml } from '../support/marc-records.ts';
import { sampleVersion } from '../support/sample-versions.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc, tar, zip } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const MARKUP = /<[^>]*>/g;

describe('The page of a record as it came', () => {
  let started: StartedApp;
  let stream: ProcessedStream;

  before(async () => {
    started = await startApp(SQLITE);
    stream = await ProcessedStream.make(started.app);
  });
  after(closeApps);

  /** Without style sheet and script, which would fill the message of a test that fails. */
  async function get(path: string) {
    const { status, text } = await ask(`${started.url}${path}`, { headers: { Accept: 'text/html' } });
    return { status, text: /<main.*<\/main>/s.exec(text)?.[0] ?? text };
  }

  /** Uploads files, and returns the pages of their errata. */
  async function pagesOf(files: Readonly<Record<string, Buffer | string>>) {
    // Without a record that can be read, an upload fails.
    const number = await stream.upload({ ...files, 'good.mrc': marc('good') });
    await stream.process(number);
    const { uploads } = started.app.records;
    const upload = await uploads.get('lane', 'main', number);
    const found: Erratum[] = [];
    for await (const one of eachErratum((await uploads.openErrata(upload, await uploads.stateOf(upload)))!))
      found.push(one);
    return Promise.all(found.map((one) => pageOf(number, one)));
  }

  async function pageOf(number: number, { file, ordinal, offset, path }: Erratum) {
    const query = new URLSearchParams({
      file: `${file}`,
      ordinal: `${ordinal}`,
      offset: `${offset}`,
      path: path!.join(' > '),
    });
    const { status, text } = await get(`/organizations/lane/uploads/main/${number}/records?${query}`);
    assert.equal(status, 200, text);
    return text;
  }

  /** A record with a byte of Latin-1 in 245 $c, although it says that it is UTF-8. */
  function withLatin1(): Buffer {
    const bytes = sampleVersion();
    bytes[bytes.indexOf('<b>')] = 0xb9;
    return bytes;
  }

  for (const [how, pack] of [
    ['of a plain file', (bytes: Buffer) => ({ 'night.mrc': bytes })],
    ['of a file in gzip', (bytes: Buffer) => ({ 'night.mrc.gz': gzipSync(bytes) })],
    ['of a file in a tar', (bytes: Buffer) => ({ 'night.tar': tar({ 'first.mrc': marc('b'), 'second.mrc': bytes }) })],
    ['of a file in a ZIP', (bytes: Buffer) => ({ 'night.zip': zip({ 'first.mrc': marc('b'), 'second.mrc': bytes }) })],
  ] as const) {
    it(`marks the byte that is no text in its field, ${how} (132)`, async () => {
      const [page, ...others] = await pagesOf(pack(Buffer.concat([marc('c'), withLatin1(), marc('d')])));
      assert.equal(others.length, 0);
      assert.match(page!, /<h1>Record 2 as it came<\/h1>/);
      assert.match(page!, /<tr class="fault"><th scope="row" id="fault">245<\/th>/);
      assert.match(page!, /Hayim <mark>\\xB9<\/mark>b&gt;Bialik/);
      assert.match(page!, /has the byte B9, which is not UTF-8/);
      assert.match(page!, /<summary>Its bytes/);
      assert.equal(page!.match(/<mark>/g)?.length, 1);
    });
  }

  it('marks a field whose tag has a blank (132)', async () => {
    const bytes = sampleVersion();
    bytes.write('65 ', bytes.indexOf('650'));
    const [page] = await pagesOf({ 'night.mrc': bytes });
    assert.match(page!, /Field 65\? has a tag[\s\S]*<tr class="fault"><th scope="row" id="fault">65 </);
  });

  it('lists entries of the directory that lead nowhere, and fields that none leads to', async () => {
    const bytes = sampleVersion();
    // The length of field 650.
    bytes.write('0099', bytes.indexOf('650') + 3);
    const [page] = await pagesOf({
      'night.mrc': Buffer.concat([bytes.subarray(0, 24 + 12 * 5), bytes.subarray(24 + 12 * 5)]),
    });
    assert.match(page!.replaceAll(MARKUP, ' '), /650 .*Hebrew poetry\./s);
    const cut = Buffer.from(bytes);
    cut.write('00000', cut.indexOf('650') + 7);
    cut[cut.indexOf('Hebrew')] = 0x1e;
    const [other] = await pagesOf({ 'night.mrc': cut });
    assert.match(other!, /the entry &quot;650009900000&quot; of the directory leads nowhere/);
    assert.match(other!, /no entry of the directory leads to this field/);
  });

  it('shows the element of MARCXML as it is in the file, with the line that is wrong', async () => {
    const record = encodeSampleXml({
      leader: '00000cam a2200000 a 4500',
      fields: [
        { tag: '001', value: 'x1' },
        { tag: '245', indicators: '10', subfields: [{ code: 'a', value: '<script>alert(1)</script> XX' }] },
      ],
    });
    const [before, after] = record.split('XX');
    const file = Buffer.concat([
      Buffer.from(`<collection xmlns="http://www.loc.gov/MARC21/slim">${before}`),
      Buffer.from([0xe9]),
      Buffer.from(`${after}${record}</collection>`),
    ]);
    const [page] = await pagesOf({ 'night.xml': file });
    assert.match(page!, /<mark>\\xE9<\/mark>/);
    assert.match(page!, /<span id="fault" class="fault">/);
    assert.doesNotMatch(page!, /<script>alert/);
    assert.equal(page!.match(/&lt;controlfield tag/g)?.length, 1);
  });

  it('shows a line of a list of ids', async () => {
    const [page] = await pagesOf({ 'gone.del.txt': Buffer.from('a\nb\xff\nc\n', 'latin1') });
    assert.match(page!, /b<mark>\\xFF<\/mark>/);
  });

  it('accepts a wrong place, and refuses what is none', async () => {
    const number = await stream.upload({ 'a.mrc': marc('e') });
    await stream.process(number);
    const at = `/organizations/lane/uploads/main/${number}/records`;
    assert.match((await get(at)).text, /A record as it came/);
    assert.match((await get(`${at}?offset=999999999`)).text, /There is no record at this place of the file/);
    assert.equal((await get(`${at}?offset=7`)).status, 200);
    assert.equal((await get(`${at}?file=2`)).status, 404);
    assert.equal((await get(`${at}?file=x`)).status, 400);
    assert.match((await get(`${at}?path=${encodeURIComponent('<script>')}`)).text, /There is no record/);
    await removeOriginals(
      { ...started.app, organizations: started.app.records.organizations },
      { keptMs: 0, signal: new AbortController().signal, now: Date.now() + 1_000 },
    );
    const { status, text } = await get(at);
    assert.equal(status, 410);
    assert.match(text, /are kept no longer/);
  });

  it('reads no more than 64 MB of a package', async () => {
    const large = Buffer.alloc(70 * 1024 ** 2, 'x');
    const number = await stream.upload({
      'night.tar.gz': gzipSync(tar({ 'large.bin': large, 'second.mrc': marc('f') })),
    });
    const at = `/organizations/lane/uploads/main/${number}/records?path=${encodeURIComponent('night.tar.gz > second.mrc')}`;
    assert.match((await get(at)).text, /It is not among the first 64.0 MB/);
  });
});
