import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { LONGEST_UPLOAD_MS } from '../../src/records/arrivals/receiving.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { FORM_HEADERS, field, file, formOf, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { storedFiles } from '../support/stored-files.ts';

describeOnEachStore('Uploads over HTTP', (store, itOnce) => {
  let started: StartedApp;
  let organizations = 0;
  let lane: string;

  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);

  // One of its own for each test.
  beforeEach(async () => {
    organizations += 1;
    lane = `lane-${organizations}`;
    await started.app.records.organizations.add(lane, { contacts: [] });
    await started.app.records.organizations.addStream(lane, 'main');
  });

  const uploads = (query = '') => `${started.url}/api/organizations/${lane}/uploads${query}`;
  const listed = async (query = '') => (await askJson(uploads(query))).body;

  itOnce('are stored as they come, and known under the next number', async () => {
    const large = randomBytes(300_000);
    const first = await postForm(uploads(), [
      file('größe %221%22%20.mrc', 'first'),
      field('name', 'Night 1'),
      file('../../etc/passwd', large),
      file('passwd', ''),
    ]);
    assert.equal(first.status, 201, first.text);
    const { received, ...view } = first.json;
    assert.ok(Math.abs(Date.parse(received) - Date.now()) < 600_000);
    const url = `organizations/${lane}/uploads/main/1`;
    const entry = (name: string, bytes: string | Buffer, at: number) => ({
      ...{ name, length: Buffer.byteLength(bytes), sha256: hash('sha256', bytes), url: `${url}/files/${at}` },
    });
    assert.deepEqual(view, {
      ...{ organization: lane, stream: 'main', number: 1, name: 'Night 1', status: 'waiting' },
      by: { name: 'administrator', address: '127.0.0.1' },
      files: [entry('größe "1"%20.mrc', 'first', 1), entry('passwd', large, 2), entry('passwd', '', 3)],
    });
    const location = new URL(first.headers.location!, uploads()).href;
    assert.deepEqual((await askJson(location)).body, first.json);

    const bytes = await ask(`${started.url}/api/${first.json.files[1].url}`);
    assert.ok(bytes.bytes.equals(large));
    assert.equal(bytes.headers['content-disposition'], "attachment; filename*=UTF-8''passwd");
    const range = await ask(`${started.url}/api/${first.json.files[0].url}`, { headers: { Range: 'bytes=1-3' } });
    assert.deepEqual([range.status, range.text], [206, 'irs']);
    assert.equal((await ask(`${started.url}/api/${url}/files/4`)).status, 404);
    assert.equal((await ask(`${started.url}/api/${first.json.files[2].url}`)).text, '');

    // The same name again is another file.
    const second = await postForm(uploads(), [file('passwd', 'second')]);
    assert.equal(second.json.number, 2);
    assert.equal((await ask(`${started.url}/api/${first.json.files[2].url}`)).text, '');
  });

  itOnce('are unavailable as files of their set, and not missing, when an artifact is', async () => {
    const { app } = started;
    await postForm(uploads(), [file('a.mrc', 'lost')]);
    const set = await app.sets.bySlug(`${lane}.uploads`);
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
    await app.sets.markReady(set.slug);
    const [resource] = await collect(app.index.read(set.id, {}));
    const url = `${started.url}/sets/${set.slug}/resources${resource!.key}`;
    assert.equal((await ask(url)).text, 'lost');
    await app.artifacts.delete(resource!.state.record!.artifact);
    assert.equal((await ask(url)).status, 503);
  });

  itOnce('may name a URL in the place of files, and have their number at once', async () => {
    const url = 'https://example.org/nightly/new.mrc?signature=1';
    const form = await postForm(uploads(), [field('url', ` ${url}\n`), field('name', 'Night 1')]);
    assert.equal(form.status, 201, form.text);
    const { received, ...view } = form.json;
    assert.deepEqual(view, {
      ...{
        organization: lane,
        stream: 'main',
        number: 1,
        name: 'Night 1',
        fileUrl: 'https://example.org/nightly/new.mrc',
        by: { name: 'administrator', address: '127.0.0.1' },
        files: [],
        status: 'waiting',
      },
    });
    assert.deepEqual((await askJson(new URL(form.headers.location!, uploads()).href)).body, form.json);
    const json = await askJson(uploads(), { url, stream: 'main' });
    assert.deepEqual(
      [json.status, json.body.number, json.body.fileUrl],
      [201, 2, 'https://example.org/nightly/new.mrc'],
    );
    assert.equal((await started.app.records.uploads.get(lane, 'main', 2)).url, url);
    for (const [body, message] of [
      [{ url: 'ftp://example.org/a.mrc' }, /the url has the scheme ftp: use http: or https:/],
      [{ url: 'https://ada:secret@example.org/' }, /the url has a name or a password/],
      [{ url: 'a.mrc' }, /the url is not a URL/],
      [{ url: `https://example.org/${'a'.repeat(2_000)}` }, /the url has more than 2000 characters/],
      [{ url, more: 1 }, /there is no field "more" here: there are url, stream, name/],
      [{ stream: 'main' }, /url is missing/],
    ] as const) {
      const refused = await askJson(uploads(), body);
      assert.equal(refused.status, 400);
      assert.match(refused.body.error.message, message);
      assert.doesNotMatch(refused.body.error.message, /secret/);
    }
    assert.equal((await listed()).uploads.length, 2);
  });

  it('that end at the same time have one order', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => postForm(uploads(), [file(`${at}.mrc`, `${at}`)])),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(8).fill(201),
    );
    const all = (await listed()).uploads.toReversed() as { number: number; received: string }[];
    assert.deepEqual(
      all.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.equal(new Set(answers.map(({ json }) => json.number)).size, 8);
    const times = all.map(({ received }) => Date.parse(received));
    assert.ok(
      times.every((time, at) => at === 0 || time > times[at - 1]!),
      times.join(),
    );
    assert.deepEqual((await listed('?limit=3')).next, 6);
    const page = await listed('?limit=3&before=6');
    assert.deepEqual(
      page.uploads.map(({ number }: { number: number }) => number),
      [5, 4, 3],
    );
    assert.equal((await listed('?limit=2&before=3')).next, undefined);
  });

  itOnce('are refused with what is wrong, and leave nothing', async () => {
    const { organizations } = started.app.records;
    await organizations.addStream(lane, 'old');
    await organizations.changeStream(lane, 'old', { archived: true });
    const before = await storedFiles(started, lane);
    const a = file('a.mrc', 'a');
    const at = (organization: string, query = '') => `${started.url}/api/organizations/${organization}/uploads${query}`;
    for (const [url, parts, status, message] of [
      [at(`${lane}x`), [a], 404, /there is no organization ".*": did you mean/],
      [at(lane, '?stream=mian'), [a], 404, /no stream "mian": did you mean "main"\?/],
      [at(lane), [field('stream', 'mian'), a], 404, /no stream "mian"/],
      [at(lane), [a, field('stream', 'mian')], 404, /no stream "mian"/],
      [at(lane), [a, field('stream', 'old')], 409, /the stream old of .* is archived: it takes no uploads/],
      [at(lane, '?stream=old'), [a], 409, /is archived/],
      [at(lane, '?stream=main'), [field('stream', 'old'), a], 400, /the stream is given twice/],
      [at(lane), [a, field('url', 'https://example.org/')], 400, /has files and a URL: send two uploads/],
      [at(lane), [field('files', 'MARC')], 400, /a file of the form has no name/],
      [at(lane), [a, field('straem', 'main')], 400, /an unknown field "straem"/],
      [at(lane), [a, field('constructor', 'x')], 400, /an unknown field "constructor"/],
      [at(lane), [a, field('__proto__', 'x')], 400, /an unknown field "__proto__"/],
      [at(lane), [a, field('name', 'n'.repeat(201))], 400, /the name of an upload is one line of at most 200/],
      [at(lane), [a, field('name', 'n'.repeat(5_000))], 413, /the field "name" has more than 4096 bytes/],
      [at(lane), [a, file('', 'b')], 400, /a file of the form has no name/],
      [at(lane), [a, file('n'.repeat(256), 'b')], 400, /is not a valid file name/],
      [at(lane), [a, file('a\u0007', 'b')], 400, /is not a valid file name/],
      [at(lane), [a, file('a%0D%0A.mrc', 'b')], 400, /is not a valid file name/],
      [at(lane), [], 400, /the upload has no file|not a complete multipart/],
      [at(lane), [field('stream', 'main')], 400, /the upload has no file/],
      [at(lane), [file('', '')], 400, /the upload has no file/],
      [at(lane), [...Array(21)].map((_, at) => field('name', `${at === 20 ? '' : ''}`)), 413, /more than 20 fields/],
    ] as const) {
      const answer = await postForm(url, parts);
      assert.equal(answer.status, status, `${answer.text} ${JSON.stringify(parts)}`);
      assert.match(answer.json.error.message, message);
    }
    const whole = formOf([a, file('b.mrc', 'b'.repeat(1_000))]);
    for (const body of [whole.subarray(0, 60), whole.subarray(0, -600), whole.subarray(0, -20), Buffer.from('none')]) {
      const cut = await ask(at(lane), { method: 'POST', headers: FORM_HEADERS, body });
      assert.equal(cut.status, 400, cut.text);
      assert.match(cut.text, /is not a complete multipart/);
    }
    const text = await ask(at(lane), { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'a' });
    assert.equal(text.status, 415);
    assert.deepEqual((await listed()).uploads, []);
    assert.deepEqual(await storedFiles(started, lane), before);
    assert.equal((await postForm(at(lane), [a])).json.number, 1);
  });

  itOnce('may take 24 hours, and leave nothing when they take longer', async () => {
    const { uploads: registry } = started.app.records;
    const begun = Date.now();
    for (const [ms, message] of [
      [LONGEST_UPLOAD_MS, undefined],
      [LONGEST_UPLOAD_MS + 1, 'the upload took more than 24 hours: send smaller ones'],
    ] as const) {
      mock.method(Date, 'now', () => begun);
      const receiving = await registry.begin(lane, 'main');
      mock.restoreAll();
      await receiving.add('a.mrc', [Buffer.from('a')]);
      mock.method(Date, 'now', () => begun + ms);
      const finished = receiving.finish({});
      mock.restoreAll();
      if (message === undefined) assert.equal((await finished).number, 1);
      else await assert.rejects(finished, { code: 'invalid', message });
      await receiving.abandon();
    }
    assert.equal((await storedFiles(started, lane)).length, 1);
  });

  itOnce('of a sender that sends more than it may are slowed down', async () => {
    const limits = { bodyBytesPerMinute: 6_000_000 };
    const { token } = await started.app.access.tokens.create({ name: 'nightly', scopes: [`upload:${lane}`], limits });
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await postForm(uploads(), [file('a.mrc', randomBytes(6_150_000))], headers);
    assert.equal(answer.status, 201, answer.text);
  });
});
