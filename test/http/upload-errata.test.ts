import assert from 'node:assert/strict';
import type { ReasonView } from '../../src/api/reason-view.ts';
import { putUploadState, readUploadState } from '../../src/records/arrivals/upload-state.ts';
import type { Erratum } from '../../src/records/errata/erratum.ts';
import { ERRATUM_COLUMNS } from '../../src/records/errata/erratum.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { encodeSample } from '../support/marc-records.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

/** A record whose characters are bytes, while leader/09 says UTF-8. */
function ofBytes(id: string, title: string, note?: string): Buffer {
  const field = (tag: string, value: string) => ({ tag, indicators: '00', subfields: [{ code: 'a', value }] });
  const notes = note === undefined ? [] : [field('500', 'One'), field('500', note)];
  const fields = [{ tag: '001', value: id }, field('245', title), ...notes];
  const bytes = encodeSample({ leader: '00000nam a2200000 a 4500', fields }, ' ');
  bytes.write('a', 9);
  return bytes;
}

/** CSV whose cells have no quotes, commas or line ends. */
const cellsOf = (line: string): readonly string[] => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map(unquoted);
const unquoted = (cell: string): string =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell.replace(/^'(?=[=+\-@])/, '');

describe('Errata of an upload (finding 132)', () => {
  let started: StartedApp;
  let stream: ProcessedStream;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    stream = await ProcessedStream.make(started.app);
    const latin1 = ['1', '2', '3'].map((id) => ofBytes(`lat${id}`, `Caf\xe9 <${id}>`));
    const file = [marc('good'), ...latin1, ofBytes('ctl', 'Title, of "a" record', 'a\x01b'), marc('good')];
    await stream.process(await stream.upload({ 'new.mrc': Buffer.concat(file) }));
  });
  afterEach(closeApps);

  const errors = async (form = '') =>
    (await ask(`${started.url}/api/organizations/lane/uploads/main/1/errors${form}`)).text;
  const page = async () => (await ask(`${started.url}/organizations/lane/streams/main/uploads/1/`)).text;

  it('has the same columns, in the same order, as lines of JSON and as CSV', async () => {
    const [heading, ...rows] = (await errors('.csv')).trimEnd().split('\r\n');
    assert.equal(heading!.slice(0, 1), '\ufeff', 'Excel does not take it for UTF-8');
    assert.deepEqual(heading!.slice(1).split(','), ERRATUM_COLUMNS);
    const lines = jsonLines(await errors()) as Erratum[];
    assert.deepEqual([lines.length, rows.length], [5, 5]);
    for (const [at, line] of lines.entries()) {
      assert.deepEqual(
        Object.keys(line),
        ERRATUM_COLUMNS.filter((name) => line[name] !== undefined),
      );
      const values = ERRATUM_COLUMNS.map((name) => (name === 'path' ? line.path!.join(' > ') : (line[name] ?? '')));
      assert.deepEqual(cellsOf(rows[at]!), values.map(String));
    }
    const { kind, field, occurrence, subfield, position, before, fault, after, title } = lines[3]!;
    assert.deepEqual([kind, field, occurrence, subfield, position], ['control-character', '500', 2, 'a', 2]);
    assert.deepEqual([before, fault, after, title], ['$a a', '\\x01', 'b', 'Title, of "a" record']);
  });

  it('is counted by kind and field, with the likely cause, what to do, and the first record', async () => {
    const { body } = await askJson(`${started.url}/api/organizations/lane/uploads/main/1`);
    const groups = body.reasons.map(({ count, kind, field, warning, example, cause, advice }: ReasonView) => {
      assert.ok((cause ?? '').length > 20 && (advice ?? '').length > 20);
      return [count, kind, field, warning, example?.id];
    });
    assert.deepEqual(groups, [
      [3, 'latin-1', '245', undefined, 'lat1'],
      [1, 'control-character', '500', undefined, 'ctl'],
      [1, 'repeated-id', undefined, true, 'good'],
    ]);
  });

  it('is a page by reasons: cause, what to do, and records with the fault marked and a link to what came', async () => {
    const html = await page();
    const [, latin1 = '', control = '', repeated = ''] = html.split('<h3>');
    assert.match(latin1, /^245: bytes that are not UTF-8[\s\S]*3 records\.[\s\S]*Likely cause:[\s\S]*What to do:/);
    assert.match(latin1, /<bdi>\$a Caf<mark>\\xE9<\/mark> &lt;1&gt;<\/bdi>/);
    assert.equal(latin1.match(/<mark>/g)?.length, 3);
    const offset = marc('good').length;
    const query = `file=1&amp;ordinal=2&amp;offset=${offset}`;
    assert.match(latin1, new RegExp(`href="[./]*organizations/lane/uploads/main/1/records\\?${query}">lat1<`));
    assert.match(control, /500 \$a \(2nd 500\)[\s\S]*character 2[\s\S]*a<mark>\\x01<\/mark>b/);
    assert.match(repeated, /^<span class="state reading">warning<\/span> an id that came before in the file/);
    const latest = (await ask(`${started.url}/organizations/lane/`)).text;
    assert.match(latest, /href="\.\/uploads\/main\/1\/records\?file=1&amp;ordinal=2/);
  });

  it('leads to the record in the upload that has it, also when the stream was read again (134)', async () => {
    const again = await started.app.records.readingAgain.processAgain({
      ...{ organization: 'lane', stream: 'main', by: {} },
    });
    await stream.process(again.number);
    const path = `/organizations/lane/streams/main/uploads/${again.number}/`;
    for (const from of [path, '/organizations/lane/']) {
      const href = /href="([^"]*\/records\?[^"]*)">lat1</.exec((await ask(`${started.url}${from}`)).text)?.[1];
      const record = await ask(new URL(href!.replaceAll('&amp;', '&'), `${started.url}${from}`).href);
      assert.deepEqual([record.status, record.text.includes('Caf<mark>\\xE9</mark>')], [200, true], href);
    }
  });

  it('is shown, too, when an earlier version read the upload', async () => {
    const { app } = started;
    const upload = await app.records.uploads.get('lane', 'main', 1);
    const before = await readUploadState(app.catalog, upload);
    const reason = 'B9 at byte 569: expected UTF-8, as leader/09 says';
    const old = { file: 1, path: ['old.mrc'], ordinal: 7, offset: 99, id: 'old1', reason };
    const place = { organization: 'lane', stream: 'main', number: 1, id: 'f'.repeat(32) } as const;
    const key = `_streams/lane/main/000000001/${place.id}.errata`;
    await app.artifacts.put(key, [Buffer.from(`${JSON.stringify(old)}\n`)]);
    const reasons = [{ reason: 'B9 at byte …: expected UTF-8, as leader/09 says', count: 1 }];
    const read = { ...before!.body.read!, errata: key, reasons };
    await putUploadState(app.catalog, upload, { body: { ...before!.body, read }, before });

    const html = await page();
    assert.match(html, /<h3>B9 at byte …: expected UTF-8[\s\S]*1 record\.[\s\S]*old1[\s\S]*B9 at byte 569/);
    assert.deepEqual(jsonLines(await errors()), [old]);
    assert.match(await errors('.csv'), /\r\n1,old\.mrc,7,99,old1,,,,,,,,,,"?B9 at byte 569: expected UTF-8/);
  });
});
