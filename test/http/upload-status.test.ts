import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { putUploadState, readUploadState } from '../../src/records/arrivals/upload-state.ts';
import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { encodeSample } from '../support/marc-records.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

describeOnEachStore('The status of an upload', (store, itOnce) => {
  let started: StartedApp;
  let stream: ProcessedStream;

  beforeEach(async () => {
    started = await startApp(store);
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(closeApps);

  const at = (path: string) => `${started.url}/api/organizations/lane/uploads${path}`;
  const show = async (number: number) => (await askJson(at(`/main/${number}`))).body;

  it('shows what each file was taken for, what became of its records, and what could not be read', async () => {
    const bad = Buffer.from(marc('=2'));
    bad.write('x', 26);
    const number = await stream.upload({
      'new.mrc': Buffer.concat([marc('1'), bad, marc('3')]),
      'read.me': '%PDF-1.4',
      'gone.txt': '1\n9\n',
    });
    const waiting = await show(number);
    assert.deepEqual([waiting.status, waiting.taken, waiting.errors], ['waiting', undefined, undefined]);
    assert.equal((await ask(at('/main/1/errors'))).status, 409);

    await stream.process(number);
    const view = await show(number);
    assert.equal(view.status, 'processed');
    assert.deepEqual(view.totals, { files: 3, records: 2, deletions: 2, errors: 1 });
    const { at: appliedAt, ...applied } = view.applied;
    assert.ok(Math.abs(Date.parse(appliedAt) - Date.now()) < 600_000);
    assert.deepEqual(applied, {
      created: 2,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      unknown: 1,
      superseded: 0,
      replaced: 1,
    });
    const taken = view.taken.map(({ path, kind, ...file }: Record<string, unknown>) => {
      return [path, kind, file.records, file.deletions, file.errors, file.replaced];
    });
    assert.deepEqual(taken, [
      [['gone.txt'], 'deleted-ids', 0, 2, 0, 1],
      [['new.mrc'], 'marc21', 2, 0, 1, 0],
      [['read.me'], 'unknown', 0, 0, 0, 0],
    ]);
    assert.match(view.taken[2].reason, /PDF/);
    const [listed] = (await askJson(at(''))).body.uploads;
    const { taken: _, reasons, ...summary } = view;
    assert.deepEqual(listed, summary);
    const [{ cause, advice, example, ...counted }] = reasons;
    const noId = { kind: 'no-001', field: '001' };
    assert.deepEqual(counted, { reason: '001: no id, since the field is missing', count: 1, ...noId });
    assert.ok(cause !== undefined && advice !== undefined);

    const errors = await ask(`${started.url}/api/${view.errors}`);
    assert.match(errors.headers['content-type'] ?? '', /^application\/x-ndjson/);
    const lines = errors.text.trimEnd().split('\n');
    assert.equal(lines.length, 1);
    const { reason, ...place } = JSON.parse(lines[0]!);
    assert.deepEqual(example, { ...place, reason });
    assert.equal(typeof reason, 'string');
    assert.deepEqual([place.path, place.ordinal, place.offset], [['new.mrc'], 2, marc('1').length]);
    const csv = await ask(`${started.url}/api/${view.errors}.csv`);
    assert.match(
      csv.text,
      /^\ufefffile,path,ordinal,offset,id,title,field,.*,kind,reason,warning\r\n\d,new\.mrc,2,\d+,/,
    );
    assert.equal((await ask(`${started.url}/api/${view.errors}`, { method: 'HEAD' })).status, 200);
  });

  it('takes over what a system wrote oddly, or in parts, with a warning of what was changed', async () => {
    const item = (name: string): MarcField => ({
      tag: '999',
      indicators: '  ',
      subfields: [{ code: 'i', value: name }],
    });
    const title = { tag: '245', indicators: '10', subfields: [{ code: 'a', value: 'Title' }] };
    const record = (id: string, ...fields: readonly MarcField[]) =>
      encodeSample({ leader: '00000nam a2200000 a 4500', fields: [{ tag: '001', value: id }, title, ...fields] });
    const items = [['1', '2', '3'], ['4', '5', '6'], ['7']].map((names) => record('split', ...names.map(item)));
    const odd = record('odd', { tag: '752', indicators: ' 1x', subfields: [{ code: 'a', value: 'El Paso' }] });
    const file = Buffer.concat([
      record('twice', item('old')),
      ...items,
      odd,
      record('twice', item('old'), item('new')),
    ]);
    await stream.process(await stream.upload({ 'night.mrc': file }));

    const view = await show(1);
    assert.deepEqual(view.totals, { files: 1, records: 4, deletions: 0, errors: 0, warnings: 2 });
    assert.deepEqual([view.taken[0].errors, view.taken[0].warnings, view.applied.created], [0, 2, 3]);
    const records = await stream.records();
    assert.deepEqual(records.split!.match(/(?<=\x1fi)\d/g), ['1', '2', '3', '4', '5', '6', '7']);
    assert.match(records.odd!, / 1\x1faEl Paso/);
    const { text } = await ask(`${started.url}/api/${view.errors}`);
    const lines = jsonLines(text);
    assert.deepEqual(
      lines.map(({ id, ordinal, warning }) => [id, ordinal, warning]),
      [
        ['odd', 3, true],
        ['twice', 4, true],
      ],
    );
    assert.match(lines[0].reason, /^field 752 has 3 indicators/);
    assert.match(lines[1].reason, /^the file has the id "twice" more than once/);
    const csv = await ask(`${started.url}/api/${view.errors}.csv`);
    assert.match(csv.text, /,odd,[^\n]*,true\r\n/);
    for (const page of ['', 'streams/main/uploads/1/']) {
      const { text: html } = await ask(`${started.url}/organizations/lane/${page}`, {
        headers: { accept: 'text/html' },
      });
      assert.match(
        html,
        />odd<\/a>[\s\S]*<mark> 1x<\/mark>[\s\S]*The record was taken over: field 752 has 3 indicators/,
      );
    }
  });

  itOnce('leaves no artifact open when only the headers of its errors are asked for', async () => {
    const number = await stream.upload({ a: Buffer.concat([marc('1'), Buffer.from('no record')]) });
    await stream.process(number);
    const { artifacts } = started.app;
    const { get } = artifacts;
    const bodies: Readable[] = [];
    artifacts.get = async (...args) => {
      const opened = await get.apply(artifacts, args);
      bodies.push(opened.body);
      return opened;
    };
    for (const form of ['', '.csv']) {
      assert.equal((await ask(at(`/main/${number}/errors${form}`), { method: 'HEAD' })).status, 200);
    }
    assert.deepEqual(
      bodies.map(({ destroyed }) => destroyed),
      [true, true],
    );
  });

  itOnce('is failed until a person has it processed again', async () => {
    const number = await stream.upload({ 'new.mrc': marc('1') });
    const upload = await started.app.records.uploads.get('lane', 'main', number);
    const retry = () => ask(at(`/main/${number}/retry`), { method: 'POST' });
    const early = await retry();
    assert.deepEqual([early.status, JSON.parse(early.text).error.code], [409, 'conflict']);
    const failure = { at: 1_800_000_000_000, error: 'the disk is full', isFinal: true };
    const before = await readUploadState(started.app.catalog, upload);
    await putUploadState(started.app.catalog, upload, { body: { failure }, before });
    await started.app.jobs.cancel(`process-upload/lane~main~${number}`);

    const failed = await show(number);
    assert.equal(failed.status, 'failed');
    assert.deepEqual(failed.failure, { at: '2027-01-15T08:00:00.000Z', error: 'the disk is full', retries: false });
    const retried = await retry();
    assert.equal(retried.status, 200, retried.text);
    assert.equal(JSON.parse(retried.text).status, 'waiting');
    assert.equal((await started.app.jobs.queue.get(`process-upload/lane~main~${number}`)).state, 'queued');
    await stream.process(number);
    assert.equal((await show(number)).status, 'processed');
    assert.equal((await retry()).status, 409);
  });

  itOnce('shows no query of a URL, and the file when it was fetched', async () => {
    const { url } = started;
    const posted = await askJson(at(''), { url: 'https://example.org/new.mrc?signature=secret' });
    assert.equal(posted.status, 201);
    assert.equal(posted.body.fileUrl, 'https://example.org/new.mrc');
    const upload = await started.app.records.uploads.get('lane', 'main', posted.body.number);
    const other = await started.app.records.uploads.get('lane', 'main', await stream.upload({ 'new.mrc': marc('1') }));
    await putUploadState(started.app.catalog, upload, { body: { fetched: other.files }, before: undefined });
    const view = await show(upload.number);
    assert.deepEqual([view.status, view.files[0].name], ['processing', 'new.mrc']);
    assert.ok((await ask(`${url}/api/${view.files[0].url}`)).bytes.equals(marc('1')));
    assert.doesNotMatch((await ask(at(''))).text, /secret/);
  });

  itOnce('has no numbers that the version did not count that processed the upload', async () => {
    const number = await stream.upload({ 'new.mrc': marc('1'), 'gone.del': '7\n' });
    await stream.process(number);
    const upload = await started.app.records.uploads.get('lane', 'main', number);
    const before = await readUploadState(started.app.catalog, upload);
    const { unknown: _, replaced: __, ...applied } = before!.body.applied!;
    await putUploadState(started.app.catalog, upload, { body: { ...before!.body, applied }, before });
    const view = await show(number);
    assert.deepEqual(Object.keys(view.applied), ['at', 'created', 'updated', 'deleted', 'unchanged', 'superseded']);
    assert.equal(view.taken[0].replaced, undefined);
    const page = await ask(`${started.url}/organizations/lane/streams/main/uploads/${number}/`);
    assert.match(page.text, /1 created, 0 updated, 0 deleted, 0 unchanged</);
  });

  itOnce('of many uploads is read with them', async () => {
    for (const id of ['1', '2', '3', '4']) await stream.upload({ 'new.mrc': marc(id) });
    for (const number of [4, 2]) await stream.process(number);
    const statuses = async (query: string) =>
      (await askJson(at(query))).body.uploads.map(({ number, status }: { number: number; status: string }) => {
        return `${number} ${status}`;
      });
    assert.deepEqual(await statuses(''), ['4 processed', '3 waiting', '2 processed', '1 waiting']);
    assert.deepEqual(await statuses('?limit=2&before=4'), ['3 waiting', '2 processed']);
  });
});
