import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { field, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const run = promisify(execFile);

describe('Uploads of scripts for the POD aggregator', () => {
  let started: StartedApp;
  let url: string;
  let token: string;

  before(async () => {
    started = await startApp(SQLITE);
    const { organizations } = started.app.records;
    const { tokens } = started.app.access;
    await organizations.add('lane', { contacts: [] });
    await organizations.addStream('lane', 'main');
    await organizations.add('other', { contacts: [] });
    ({ token } = await tokens.create({ name: 'nightly', scopes: ['upload:lane'] }));
    url = `${started.url}/organizations/lane/uploads`;
  });
  after(closeApps);

  const bearer = () => ({ Authorization: `Bearer ${token}` });
  const part = { name: 'upload[files][]', fileName: 'a.mrc', value: 'a' };

  it('are taken, and answered with its fields beside ours', async () => {
    const fields = [field('upload[name]', 'Weekly'), field('stream', 'main')];
    const answer = await postForm(url, [part, { ...part, fileName: 'b.mrc' }, ...fields], {
      ...bearer(),
      Accept: 'application/json',
    });
    assert.equal(answer.status, 201, answer.text);
    const { id, name, files, created_at, updated_at, ...others } = answer.json;
    assert.deepEqual([id, name, files.length], [`main/${others.number}`, 'Weekly', 2]);
    assert.equal(created_at, others.received);
    assert.equal(updated_at, others.received);
    assert.deepEqual([others.organization, others.stream], ['lane', 'main']);
    assert.match(others.url, new RegExp(`/organizations/lane/uploads/main/${others.number}.json$`));
    const shown = await askJson(new URL(answer.headers.location!, url).href, undefined, bearer());
    assert.deepEqual(shown.body.files, files);
    const unnamed = await postForm(url, [part], bearer());
    assert.equal(unnamed.json.name, unnamed.json.received);
  });

  it('may have unknown fields and parameters, and empty ones', async () => {
    const unknown = ['utf8', 'commit', 'authenticity_token', 'upload[content_type]'].map((name) => field(name, 'x'));
    const empty = [field('upload[files][]', ''), field('upload[url]', ''), field('upload[name]', '')];
    const answer = await postForm(`${url}?utf8=x`, [...unknown, ...empty, part], bearer());
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.files.length, 1);
  });

  it('may name a URL, as any form or as JSON', async () => {
    const file = 'https://example.org/a.mrc';
    const urlencoded = {
      method: 'POST',
      headers: { ...bearer(), 'Content-Type': 'application/x-www-form-urlencoded' },
    };
    const json = { ...bearer(), 'Content-Type': 'application/json' };
    const asJson = { upload: { url: file, name: 'N', more: 1 }, stream: 'main', more: 1 };
    const answers = [
      await postForm(url, [field('upload[url]', ` ${file} `)], bearer()),
      await ask(url, { method: 'POST', headers: json, body: JSON.stringify(asJson) }),
      await ask(url, { ...urlencoded, body: `upload%5Burl%5D=${encodeURIComponent(file)}&upload[name]=N` }),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 201, text);
      const { stream, number, fileUrl, files } = JSON.parse(text);
      assert.deepEqual([stream, fileUrl, files], ['main', file, []]);
      assert.equal((await started.app.records.uploads.get('lane', 'main', number)).url, file);
    }
  });

  it('make the stream that they name, which does not become the default', async () => {
    const named = await postForm(`${url}?stream=Test%20Stream%202022-04-05`, [part], bearer());
    assert.deepEqual([named.status, named.json.id], [201, 'test-stream-2022-04-05/1'], named.text);
    const again = await postForm(url, [field('stream', 'test-stream-2022-04-05'), part], bearer());
    assert.equal(again.json.id, 'test-stream-2022-04-05/2');
    const together = await Promise.all([1, 2, 3].map(() => postForm(`${url}?stream=Neu`, [part], bearer())));
    assert.deepEqual(together.map(({ json }) => json.id).sort(), ['neu/1', 'neu/2', 'neu/3']);
    const { defaultStream, streams } = await started.app.records.organizations.get('lane');
    assert.equal(defaultStream, 'main');
    assert.deepEqual(
      streams.map(({ id, title }) => [id, title]),
      [
        ['main', undefined],
        ['test-stream-2022-04-05', 'Test Stream 2022-04-05'],
        ['neu', 'Neu'],
      ],
    );
  });

  it('are refused with the statuses of that API', async () => {
    const before = (await askJson(`${started.url}/api/organizations/lane/uploads`, undefined, bearer())).body.uploads;
    for (const [parts, name, message] of [
      [[], 'base', /not a complete multipart|has no file/],
      [[field('upload[name]', 'Weekly')], 'files', /the upload has no file: send files, or a URL/],
      [[field('upload[url]', 'nonsense')], 'url', /the url is not a URL/],
      [[field('upload[files][]', 'MARC'), part], 'files', /has no name/],
      [[field('upload[name]', 'n'.repeat(300)), part], 'name', /the name of an upload/],
      [[field('stream', '???'), part], 'stream', /is not a valid id of a stream/],
      [
        [field('stream', 'a very long name '.repeat(4)), part],
        'stream',
        /more than 50 characters, since .* at most 64/,
      ],
    ] as const) {
      const answer = await postForm(url, parts, bearer());
      assert.equal(answer.status, 422, answer.text);
      const [problem] = answer.json[name] ?? answer.json.files ?? [];
      assert.match(problem ?? answer.text, message);
      assert.equal(answer.json.error.message, problem);
    }
    for (const empty of [{}, { upload: {} }]) {
      const { status, body } = await askJson(url, empty, bearer());
      assert.deepEqual([status, body.files], [422, ['the upload has no file: send files, or a URL']]);
    }
    await started.app.records.organizations.addStream('lane', 'old');
    await started.app.records.organizations.changeStream('lane', 'old', { archived: true });
    const archived = await postForm(url, [field('stream', 'old'), part], bearer());
    assert.equal(archived.status, 422, archived.text);
    assert.deepEqual(archived.json.stream, ['the stream old of lane is archived: it takes no uploads']);
    assert.equal(archived.json.error.code, 'conflict');
    assert.equal((await postForm(url, [part], { Authorization: 'Bearer nonsense' })).status, 401);
    const foreign = url.replace('/lane/', '/other/');
    assert.equal((await postForm(foreign, [part], bearer())).status, 403);
    const admin = await postForm(url.replace('/lane/', '/none/'), [part]);
    assert.ok([401, 403, 404].includes(admin.status), admin.text);
    const after = (await askJson(`${started.url}/api/organizations/lane/uploads`, undefined, bearer())).body.uploads;
    assert.deepEqual(after, before);
  });

  it('are refused with the reason when the stream that they name cannot be made', async () => {
    const streams = Array.from({ length: 1_000 }, (_, at) => ({ id: `s${at}`, created: 1 }));
    const full = { id: 'full', contacts: [], created: 1, defaultStream: 's0', streams };
    await started.app.catalog.put('organization', 'full', full, undefined);
    const { token } = await started.app.access.tokens.create({ name: 'full', scopes: ['upload:full'] });
    const headers = { Authorization: `Bearer ${token}` };
    const refused = await postForm(`${url.replace('/lane/', '/full/')}?stream=New`, [part], headers);
    assert.deepEqual(
      [refused.status, refused.json.stream],
      [422, ['the organization full has 1000 streams, which is the most']],
      refused.text,
    );
  });

  it('keep no other client waiting, whatever name of a stream they send', async function (this: Mocha.Context) {
    this.timeout(10_000);
    for (let at = 0; at < 10; at++) {
      const { status } = await askJson(url, { stream: `a${'_'.repeat(60_000)}a` }, bearer());
      assert.equal(status, 422);
    }
  });

  it('come from curl, as its documentation has it', async () => {
    const path = join(started.folder, 'nightly.xml.gz');
    await writeFile(path, 'some bytes');
    const args = [
      '-sS',
      '--fail',
      '-F',
      'upload[name]=Nightly',
      '-F',
      `upload[files][]=@${path};type=application/marcxml+xml`,
    ];
    const { stdout } = await run('curl', [...args, '-H', `Authorization: Bearer ${token}`, `${url}?stream=main`]);
    assert.deepEqual([JSON.parse(stdout).name, JSON.parse(stdout).files[0].length], ['Nightly', 10]);
  });
});
