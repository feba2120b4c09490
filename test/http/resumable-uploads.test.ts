import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { noSuchObject } from '../../src/artifacts/store-errors.ts';
import { TidemarkError } from '../../src/core/errors.ts';
import { ResumableUploads } from '../../src/records/arrivals/resumable/resumable-uploads.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { storedFiles } from '../support/stored-files.ts';
import { beginTus, begunTus, sendTus, TUS, tusStatus } from '../support/tus.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;

describeOnEachStore('Resumable uploads', (store, itOnce) => {
  let started: StartedApp;
  let organizations = 0;
  let lane: string;

  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);

  beforeEach(async () => {
    organizations += 1;
    lane = `lane-${organizations}`;
    await started.app.records.organizations.add(lane, { contacts: [] });
    await started.app.records.organizations.addStream(lane, 'main');
  });

  const resumable = () => `${started.url}/api/organizations/${lane}/resumable-uploads`;
  const uploads = async () => (await askJson(`${started.url}/api/organizations/${lane}/uploads`)).body.uploads;
  const parts = async () => (await collect(started.app.artifacts.list(`_parts/${lane}/`))).flat();
  const cleanUp = (now?: number) => started.app.records.resumableUploads.cleanUp(new AbortController().signal, now);

  itOnce('become an upload with their last byte, in as many requests as it takes', async () => {
    const bytes = randomBytes(300_000);
    const metadata = { filename: 'nächtlich.mrc', name: 'Night 1', filetype: 'application/marc' };
    const begun = await beginTus(resumable(), bytes.length, metadata);
    assert.deepEqual(
      [begun.status, begun.headers['tus-resumable'], begun.headers['upload-offset']],
      [201, '1.0.0', '0'],
    );
    assert.ok(Date.parse(begun.headers['upload-expires'] as string) > Date.now() + 23 * HOUR_MS);
    const url = new URL(begun.headers.location!, resumable()).href;
    for (const [from, to] of [
      [0, 1],
      [1, 100_000],
      [100_000, 299_999],
    ] as const) {
      const sent = await sendTus(url, from, bytes.subarray(from, to));
      assert.deepEqual([sent.status, sent.headers['upload-offset']], [204, `${to}`], sent.text);
      assert.deepEqual(await tusStatus(url), { offset: to, upload: undefined });
    }
    assert.deepEqual(await uploads(), []);
    // Others that arrive meanwhile are before it.
    await postForm(`${started.url}/api/organizations/${lane}/uploads`, [file('b.mrc', 'b')]);
    const last = await sendTus(url, 299_999, bytes.subarray(299_999));
    assert.deepEqual([last.status, last.headers['tidemark-upload']], [204, 'main/2'], last.text);

    const [upload] = await uploads();
    assert.deepEqual([upload.number, upload.name, upload.files.length], [2, 'Night 1', 1]);
    const [{ name, length, sha256, url: at }] = upload.files;
    assert.deepEqual([name, length, sha256], ['nächtlich.mrc', bytes.length, hash('sha256', bytes)]);
    assert.ok((await ask(`${started.url}/api/${at}`)).bytes.equals(bytes));

    // The last answer may have been lost.
    assert.deepEqual(await tusStatus(url), { offset: bytes.length, upload: 'main/2' });
    const { body } = await askJson(url);
    assert.deepEqual(body.upload, { number: 2, url: `organizations/${lane}/uploads/main/2` });
    assert.equal((await sendTus(url, bytes.length, Buffer.alloc(0))).headers['tidemark-upload'], 'main/2');
    assert.deepEqual(await parts(), []);
    assert.equal((await uploads()).length, 2);
  });

  itOnce('ask again for the bytes of a part that the store has lost', async () => {
    const bytes = randomBytes(12);
    const url = await begunTus(resumable(), bytes.length);
    for (const [from, to] of [
      [0, 3],
      [3, 5],
      [5, 9],
    ])
      await sendTus(url, from!, bytes.subarray(from, to));
    await started.app.artifacts.delete((await parts())[1]!.key);
    assert.equal((await tusStatus(url)).offset, 3);
    assert.equal((await sendTus(url, 7, bytes.subarray(7))).status, 409);
    // Again in other pieces, of which the last one ends where a part of the first time begins.
    assert.equal((await sendTus(url, 3, bytes.subarray(3, 4))).headers['upload-offset'], '4');
    const last = await sendTus(url, 4, bytes.subarray(4));
    assert.equal(last.headers['tidemark-upload'], 'main/1', last.text);
    assert.equal((await uploads())[0].files[0].sha256, hash('sha256', bytes));
    assert.deepEqual(await parts(), []);
  });

  itOnce('may be several files, one behind the other, in any requests', async () => {
    const sent = [
      { name: 'new.mrc', bytes: randomBytes(150_000) },
      { name: 'none.mrc', bytes: Buffer.alloc(0) },
      { name: 'gelöscht.txt', bytes: Buffer.from('1\n2\n') },
    ];
    const bytes = Buffer.concat(sent.map((one) => one.bytes));
    const listed = sent.map(({ name, bytes: { length } }) => ({ name, length }));
    const url = await begunTus(resumable(), bytes.length, { files: JSON.stringify(listed), name: 'Night 2' });
    assert.deepEqual((await askJson(url)).body.files, listed);
    await sendTus(url, 0, bytes.subarray(0, 70_000));
    await sendTus(url, 70_000, bytes.subarray(70_000, 150_001));
    const last = await sendTus(url, 150_001, bytes.subarray(150_001));
    assert.equal(last.headers['tidemark-upload'], 'main/1', last.text);
    const [{ files, name }] = await uploads();
    assert.equal(name, 'Night 2');
    assert.deepEqual(
      files.map(({ name, length, sha256 }: Record<string, unknown>) => ({ name, length, sha256 })),
      sent.map(({ name, bytes }) => ({ name, length: bytes.length, sha256: hash('sha256', bytes) })),
    );
    for (const [at, file] of files.entries()) {
      assert.ok((await ask(`${started.url}/api/${file.url}`)).bytes.equals(sent[at]!.bytes), file.name);
    }
    assert.deepEqual(await parts(), []);
  });

  itOnce('may be begun before their length is known, which comes with the last bytes, or after them', async () => {
    const bytes = randomBytes(100_000);
    for (const [number, last] of [50_000, bytes.length].entries()) {
      const url = await begunTus(resumable(), undefined);
      await sendTus(url, 0, bytes.subarray(0, 10));
      await sendTus(url, 10, bytes.subarray(10, last));
      const { headers } = await ask(url, { method: 'HEAD', headers: TUS });
      assert.deepEqual(
        [headers['upload-offset'], headers['upload-length'], headers['upload-defer-length']],
        [`${last}`, undefined, '1'],
      );
      const { length, files } = (await askJson(url)).body;
      assert.deepEqual([length, files], [undefined, [{ name: 'a.mrc' }]]);
      assert.equal((await cleanUp()).ended, 0);
      const fewer = await sendTus(url, last, Buffer.alloc(0), { 'Upload-Length': `${last - 1}` });
      assert.equal(fewer.status, 409, fewer.text);

      const ended = await sendTus(url, last, bytes.subarray(last), { 'Upload-Length': `${bytes.length}` });
      assert.equal(ended.headers['tidemark-upload'], `main/${number + 1}`, ended.text);
      const [{ name, sha256 }] = (await uploads())[0].files;
      assert.deepEqual([name, sha256], ['a.mrc', hash('sha256', bytes)]);
      const other = await sendTus(url, bytes.length, Buffer.alloc(0), { 'Upload-Length': '7' });
      assert.equal(other.status, 409, other.text);
    }
    assert.deepEqual(await parts(), []);
  });

  itOnce('are refused with a length that is both known and not, or that several files lack', async () => {
    const twice = await beginTus(resumable(), 7, { filename: 'a.mrc' }, { 'Upload-Defer-Length': '1' });
    assert.deepEqual([twice.status, JSON.parse(twice.text).error.field], [400, 'Upload-Defer-Length']);
    const files = JSON.stringify(['a', 'b'].map((name) => ({ name, length: 1 })));
    const several = await beginTus(resumable(), undefined, { files });
    assert.deepEqual([several.status, JSON.parse(several.text).error.field], [400, 'Upload-Length']);
  });

  itOnce('may be empty, and name their stream', async () => {
    await started.app.records.organizations.addStream(lane, 'full');
    const begun = await beginTus(resumable(), 0, { filename: 'a.mrc', stream: 'full' });
    assert.deepEqual([begun.status, begun.headers['tidemark-upload']], [201, 'full/1']);
    const url = await begunTus(`${resumable()}?stream=full`, 1);
    assert.equal((await sendTus(url, 0, Buffer.from('a'))).headers['tidemark-upload'], 'full/2');
  });

  itOnce('keep what came before a break, also within a part', async () => {
    const bytes = randomBytes(40_000_000);
    const url = await begunTus(resumable(), bytes.length);
    const headers = { ...TUS, 'Upload-Offset': 0, 'Content-Type': 'application/offset+octet-stream' };
    const broken = request(url, {
      method: 'PATCH',
      headers: { ...headers, 'Content-Length': bytes.length },
      agent: false,
    });
    broken.on('error', () => {});
    await new Promise((resolve) => broken.write(bytes.subarray(0, 20_000_000), resolve));
    await until('the first part is stored', async () => (await parts()).length > 0);
    broken.destroy();
    await until('the rest of what came is stored', async () => (await parts()).length === 2);
    const { offset } = await tusStatus(url);
    assert.ok(offset > 16 * 1024 * 1024 && offset <= 20_000_000, `${offset}`);
    const last = await sendTus(url, offset, bytes.subarray(offset));
    assert.equal(last.headers['tidemark-upload'], 'main/1', last.text);
    assert.equal((await uploads())[0].files[0].sha256, hash('sha256', bytes));
    assert.equal((await storedFiles(started, lane)).length, 1);
  });

  it('take each byte once, when two requests send the same', async () => {
    const bytes = randomBytes(500_000);
    const url = await begunTus(resumable(), bytes.length);
    const answers = await Promise.all(Array.from({ length: 6 }, () => sendTus(url, 0, bytes)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.ok(
      statuses[0] === 204 && statuses.slice(1).every((status) => status === 204 || status === 409),
      statuses.join(),
    );
    const all = await Promise.all(Array.from({ length: 4 }, () => tusStatus(url)));
    assert.ok(all.every(({ upload }) => upload === 'main/1'));
    const [upload, ...others] = await uploads();
    assert.equal(upload.files[0].sha256, hash('sha256', bytes));
    assert.deepEqual(others, []);
    assert.equal((await storedFiles(started, lane)).length, 1);
  });

  itOnce('are ended once when several requests send the bytes, and only some of them the length', async () => {
    const bytes = randomBytes(500_000);
    const url = await begunTus(resumable(), undefined);
    const length = { 'Upload-Length': `${bytes.length}` };
    const sizes = [length, {}, length, {}, length];
    const answers = await Promise.all(sizes.map((size) => sendTus(url, 0, bytes, size)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.ok(statuses[0] === 204 && statuses.every((status) => status === 204 || status === 409), statuses.join());
    const last = await sendTus(url, bytes.length, Buffer.alloc(0), length);
    assert.equal(last.headers['tidemark-upload'], 'main/1', last.text);
    const [upload, ...others] = await uploads();
    assert.equal(upload.files[0].sha256, hash('sha256', bytes));
    assert.deepEqual(others, []);
    assert.deepEqual(await parts(), []);
  });

  it('are ended once by several servers of a store', async () => {
    const [one, other] = [
      started,
      await startApp(store, { store: started.app.configuration.store, artifacts: started.app.configuration.artifacts }),
    ];
    const bytes = randomBytes(200_000);
    const url = await begunTus(resumable(), bytes.length);
    await sendTus(url, 0, bytes.subarray(0, 100_000));
    await sendTus(url.replace(one.url, other.url), 100_000, bytes.subarray(100_000, 199_999));
    const ends = [one, other, one, other].map(({ url: base }) =>
      sendTus(url.replace(one.url, base), 199_999, bytes.subarray(199_999)),
    );
    await Promise.all([
      ...ends,
      ...[1, 2].map(() => postForm(`${other.url}/api/organizations/${lane}/uploads`, [file('b', 'b')])),
    ]);
    await until('it has ended', async () => (await tusStatus(url)).upload !== undefined);
    const all = await uploads();
    assert.equal(all.length, 3);
    assert.equal(
      all.filter(({ files }: { files: { length: number }[] }) => files[0]!.length === bytes.length).length,
      1,
    );
    await until('copies are removed', async () => (await storedFiles(one, lane)).length === 3);
  });

  itOnce('are refused with what is wrong', async () => {
    const url = await begunTus(resumable(), 10);
    for (const [answer, status, message] of [
      [beginTus(resumable(), 1, { filename: 'a/b' }), 400, /is not a valid file name/],
      [beginTus(resumable(), 1, { filename: '' }), 400, /is not a valid file name/],
      [beginTus(resumable(), 1, {}), 400, /Upload-Metadata with "filename" .* is missing.* filename YS5tcmM=/],
      [beginTus(resumable(), 1, { name: 'Night 1' }), 400, /Upload-Metadata with "filename" .* is missing/],
      [beginTus(resumable(), 1, { files: '[{"name": "a"}]' }), 400, /the value of "files" is not JSON such as/],
      [beginTus(resumable(), 1, { files: '[]' }), 400, /the value of "files" is not JSON such as/],
      [beginTus(resumable(), 1, { files: 'a.mrc' }), 400, /the value of "files" is not JSON such as/],
      [beginTus(resumable(), 1, { files: '[{"name": "a/b", "length": 1}]' }), 400, /is not a valid file name/],
      [beginTus(resumable(), 3, { files: '[{"name": "a", "length": 2}]' }), 400, /have 2 bytes together/],
      [beginTus(resumable(), 1, { filename: 'a', stream: 'mian' }), 404, /did you mean "main"/],
      [beginTus(resumable(), 50_000_000_001), 413, /has 50000000001 bytes, and at most 50000000000 are accepted/],
      [beginTus(resumable(), 1, { filename: 'a' }, { 'Upload-Length': '9'.repeat(30) }), 413, /at most 50000000000/],
      [beginTus(resumable(), 1, { filename: 'a' }, { 'Upload-Length': 'many' }), 400, /Upload-Length is not a number/],
      [beginTus(resumable(), 1, { filename: 'a' }, { 'Upload-Metadata': 'filename !' }), 400, /not UTF-8 in Base64/],
      [beginTus(resumable(), 1, { filename: 'a' }, { 'Tus-Resumable': '0.2.2' }), 412, /Tus-Resumable: 1.0.0/],
      [ask(resumable(), { method: 'POST', headers: { 'Upload-Length': '1' } }), 412, /Tus-Resumable/],
      [sendTus(url, 5, Buffer.from('a')), 409, /begin at 5, but 0 are stored/],
      [sendTus(`${url}0`, 0, Buffer.from('a')), 404, /no resumable upload/],
      [
        ask(url, { method: 'PATCH', headers: { ...TUS, 'Upload-Offset': '0', 'Content-Type': 'text/plain' } }),
        415,
        /use application\/offset\+octet-stream$/,
      ],
      [sendTus(url, 0, Buffer.alloc(11)), 400, /more bytes than Upload-Length/],
      [ask(url, { method: 'PUT', headers: TUS }), 405, /use GET or HEAD or PATCH or DELETE/],
    ] as const) {
      const { status: answered, headers, text } = await answer;
      assert.equal(answered, status, text);
      assert.equal(headers['tus-resumable'], '1.0.0', text);
      assert.match(JSON.parse(text).error.message, message);
    }
    assert.deepEqual(await tusStatus(url), { offset: 0, upload: undefined });
    assert.deepEqual(await uploads(), []);
    const { headers, status } = await ask(resumable(), { method: 'OPTIONS' });
    assert.deepEqual(
      [status, headers['tus-version'], headers['tus-extension']],
      [204, '1.0.0', 'creation,creation-defer-length,expiration,termination'],
    );
  });

  itOnce('take no byte beyond their end, also after it', async () => {
    const url = await begunTus(resumable(), 3);
    assert.equal((await sendTus(url, 0, Buffer.from('abc'))).headers['tidemark-upload'], 'main/1');
    const refused = await sendTus(url, 3, Buffer.from('d'));
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /more bytes than Upload-Length/);
    assert.equal((await sendTus(url, 3, Buffer.alloc(0))).status, 204);
    assert.deepEqual(await parts(), []);
  });

  itOnce('return the metadata as they were given, also when they have become an upload', async () => {
    const given = 'filename bsOkY2h0LnR4dA==,is_confidential,  filetype dGV4dC9wbGFpbg==';
    const url = await begunTus(resumable(), 1, {}, { 'Upload-Metadata': given });
    const metadata = async () => (await ask(url, { method: 'HEAD', headers: TUS })).headers['upload-metadata'];
    assert.equal(await metadata(), given);
    await sendTus(url, 0, Buffer.from('a'));
    assert.equal(await metadata(), given);
    // An entry that an earlier version has made has none.
    const { upload } = await started.app.records.resumableUploads.begin(lane, {
      files: [{ name: 'a', length: 1 }],
      length: 1,
    });
    const { status, headers } = await ask(`${resumable()}/${upload.id}`, { method: 'HEAD', headers: TUS });
    assert.deepEqual([status, headers['upload-metadata']], [200, undefined]);
  });

  itOnce('take another method than POST from a client that can only send that', async () => {
    const url = await begunTus(resumable(), 2);
    const post = (method: string, headers: Readonly<Record<string, string>> = {}, body = Buffer.alloc(0)) =>
      ask(url, { method: 'POST', headers: { ...TUS, 'X-HTTP-Method-Override': method, ...headers }, body });
    const bytes = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
    const sent = await post('PATCH', bytes, Buffer.from('a'));
    assert.deepEqual([sent.status, sent.headers['upload-offset']], [204, '1'], sent.text);
    const asked = await post('HEAD');
    assert.deepEqual([asked.status, asked.headers['upload-offset']], [200, '1'], asked.text);
    // A page of another site may not do so, as with the method itself.
    assert.equal((await post('DELETE', { Origin: 'https://other.example' })).status, 403);
    assert.equal((await post('PUT')).status, 405);
    assert.equal((await ask(url, { headers: { ...TUS, 'X-HTTP-Method-Override': 'DELETE' } })).status, 200);
    assert.equal((await post('DELETE')).status, 204);
    assert.equal((await post('HEAD')).status, 404);
  });

  itOnce('can be given up, and are removed when they are forgotten', async () => {
    const given = await begunTus(resumable(), 10);
    await sendTus(given, 0, Buffer.from('abc'));
    assert.equal((await ask(given, { method: 'DELETE', headers: TUS })).status, 204);
    assert.equal((await ask(given)).status, 404);
    assert.deepEqual(await parts(), []);

    const forgotten = await begunTus(resumable(), 10);
    await sendTus(forgotten, 0, Buffer.from('abc'));
    const ended = await begunTus(resumable(), 1);
    await sendTus(ended, 0, Buffer.from('a'));
    await cleanUp(Date.now() + 23 * HOUR_MS);
    assert.equal((await tusStatus(forgotten)).offset, 3);
    await cleanUp(Date.now() + 25 * HOUR_MS);
    assert.equal((await ask(forgotten)).status, 404);
    assert.equal((await ask(ended)).status, 404);
    assert.deepEqual(await parts(), []);
    assert.equal((await uploads()).length, 1);
  });

  itOnce('become an upload when they are complete, also days after their last byte', async () => {
    await started.app.records.organizations.addStream(lane, 'old');
    const change = (archived: boolean) => started.app.records.organizations.changeStream(lane, 'old', { archived });
    const url = await begunTus(resumable(), 1, { filename: 'a.mrc', stream: 'old' });
    // Complete, and not ended: as when the server was stopped before it could.
    await change(true);
    assert.equal((await sendTus(url, 0, Buffer.from('a'))).status, 409);
    await change(false);
    await cleanUp(Date.now() + 72 * HOUR_MS);
    const { body } = await askJson(`${started.url}/api/organizations/${lane}/uploads?stream=old`);
    assert.deepEqual(
      body.uploads.map(({ files }: { readonly files: readonly { readonly name: string }[] }) => files[0]!.name),
      ['a.mrc'],
    );
    assert.deepEqual(await parts(), []);
  });

  itOnce('become no upload without a part that is lost while they are put together', async () => {
    const url = await begunTus(resumable(), 2);
    await sendTus(url, 0, Buffer.from('a'));
    const { artifacts } = started.app;
    await artifacts.put(`${(await parts())[0]!.key.slice(0, -1)}1`, [Buffer.from('b')]);
    let lists = 0;
    const losing = new ResumableUploads({
      ...started.app,
      ...started.app.records,
      artifacts: {
        name: artifacts.name,
        get: (...args) => artifacts.get(...args),
        put: (...args) => artifacts.put(...args),
        delete: (key) => artifacts.delete(key),
        folders: (prefix) => artifacts.folders(prefix),
        async *list(prefix) {
          if (prefix.includes(lane)) lists += 1;
          for await (const batch of artifacts.list(prefix)) yield lists > 1 ? batch.slice(0, 1) : batch;
        },
      },
    });
    const id = url.split('/').at(-1)!;
    await assert.rejects(losing.status(lane, id), {
      code: 'unavailable',
      message: /^1 of 2 bytes of a\.mrc are stored/,
    });
    assert.deepEqual(await uploads(), []);
    assert.deepEqual(await storedFiles(started, lane), []);
    assert.equal((await tusStatus(url)).upload, 'main/1');
  });

  const UNREADABLE = [
    { what: 'cannot be read', error: () => new TidemarkError('unavailable', 'the artifact is damaged') },
    { what: 'is listed by the artifact store, which does not have it', error: (key: string) => noSuchObject('x', key) },
  ];
  for (const { what, error } of UNREADABLE) {
    itOnce(`become an upload also while another one ${what}, which is kept`, async () => {
      await started.app.records.organizations.addStream(lane, 'old');
      const change = (archived: boolean) => started.app.records.organizations.changeStream(lane, 'old', { archived });
      const urls = await Promise.all(
        ['a.mrc', 'b.mrc'].map((filename) => begunTus(resumable(), 1, { filename, stream: 'old' })),
      );
      await change(true);
      for (const url of urls) assert.equal((await sendTus(url, 0, Buffer.from('a'))).status, 409);
      await change(false);
      const { artifacts } = started.app;
      const [{ id: first }, { id: second }] = (await askJson(resumable())).body.uploads;
      const damaged = new ResumableUploads({
        ...started.app,
        ...started.app.records,
        artifacts: {
          name: artifacts.name,
          get: async (key, options) => {
            if (key.includes(first)) throw error(key);
            return artifacts.get(key, options);
          },
          put: (...args) => artifacts.put(...args),
          delete: (key) => artifacts.delete(key),
          list: (prefix) => artifacts.list(prefix),
          folders: (prefix) => artifacts.folders(prefix),
        },
      });
      const { signal } = new AbortController();
      await assert.rejects(damaged.cleanUp(signal, Date.now() + 72 * HOUR_MS), { code: 'unavailable' });
      // HEAD would end it, too.
      const { body } = await askJson(`${started.url}/api/organizations/${lane}/uploads?stream=old`);
      assert.equal(body.uploads.length, 1);
      assert.equal((await tusStatus(`${resumable()}/${second}`)).upload, 'old/1');
      await cleanUp(Date.now() + 23 * HOUR_MS);
      assert.equal((await tusStatus(`${resumable()}/${first}`)).upload, 'old/2');
    });
  }

  itOnce('are removed when they are complete, and their stream has taken no uploads for a day', async () => {
    await started.app.records.organizations.addStream(lane, 'old');
    const url = await begunTus(resumable(), 1, { filename: 'a.mrc', stream: 'old' });
    await started.app.records.organizations.changeStream(lane, 'old', { archived: true });
    assert.equal((await sendTus(url, 0, Buffer.from('a'))).status, 409);
    await cleanUp(Date.now() + 23 * HOUR_MS);
    assert.equal((await parts()).length, 1);
    await cleanUp(Date.now() + 25 * HOUR_MS);
    assert.equal((await ask(url)).status, 404);
    assert.deepEqual(await parts(), []);
  });

  itOnce('are listed until they are finished or deleted', async () => {
    await started.app.records.organizations.addStream(lane, 'full');
    assert.deepEqual((await askJson(resumable())).body, { organization: lane, uploads: [] });
    const before = Date.now();
    const first = await begunTus(resumable(), 10, { filename: 'a.mrc', stream: 'full', name: 'Night 1' });
    const second = await begunTus(resumable(), 1, { filename: 'b.mrc' });
    await sendTus(first, 0, Buffer.from('abc'));
    const { body } = await askJson(resumable());
    const [{ created, expires, ...listed }, { files }] = body.uploads;
    const id = first.split('/').at(-1);
    assert.deepEqual(listed, {
      ...{ id, url: `organizations/${lane}/resumable-uploads/${id}`, organization: lane, stream: 'full' },
      ...{ name: 'Night 1', files: [{ name: 'a.mrc', length: 10 }], length: 10, offset: 3 },
    });
    assert.deepEqual([files, body.uploads.length], [[{ name: 'b.mrc', length: 1 }], 2]);
    assert.ok(Date.parse(created) >= before && Date.parse(expires) > before + 23 * HOUR_MS, `${created} ${expires}`);
    await sendTus(second, 0, Buffer.from('b'));
    assert.equal((await ask(`${started.url}/api/${listed.url}`, { method: 'DELETE', headers: TUS })).status, 204);
    assert.deepEqual((await askJson(resumable())).body.uploads, []);
  });

  itOnce('are at most a hundred at a time', async () => {
    for (let at = 0; at < 100; at++) await begunTus(resumable(), 1);
    const refused = await beginTus(resumable(), 1);
    assert.deepEqual([refused.status, /has 100 unfinished/.test(refused.text)], [409, true], refused.text);
    const named = /GET (\S+) lists them/.exec(refused.text)?.[1];
    assert.equal((await askJson(`${started.url}${named}`)).body.uploads.length, 100);
  });

  itOnce('are known for a while after they became an upload, and take little room however many there are', async () => {
    const { catalog } = started.app;
    const stored = async () => (await catalog.get<{ uploads: unknown[] }>('resumable-uploads', lane))!.body;
    const metadata = { filename: 'a.mrc', note: 'n'.repeat(5_000) };
    const unfinished = await begunTus(resumable(), 1);
    const urls: string[] = [];
    for (let at = 0; at < 20; at++) urls.push(await begunTus(resumable(), 0, metadata));
    assert.ok(JSON.stringify(await stored()).length < 110_000);
    assert.equal((await tusStatus(urls.at(-1)!)).upload, 'main/20');
    const early = await ask(urls[0]!);
    assert.match(early.text, /may have become an upload: see the uploads/);
    assert.equal(early.status, 404);
    assert.equal((await tusStatus(unfinished)).offset, 0);
    assert.equal((await uploads()).length, 20);
  });

  // The last one: from here on, each request needs a token.
  itOnce('are for their organization alone', async () => {
    const url = await begunTus(resumable(), 10);
    const { token } = await started.app.access.tokens.create({ name: `of-${lane}`, scopes: [`upload:${lane}0`] });
    const headers = { ...TUS, Authorization: `Bearer ${token}` };
    assert.equal((await beginTus(resumable(), 1, { filename: 'a' }, headers)).status, 403);
    assert.equal((await ask(resumable(), { headers })).status, 403);
    assert.equal((await ask(url, { method: 'HEAD', headers })).status, 403);
    assert.equal((await ask(url, { method: 'DELETE', headers })).status, 403);
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const answer = await ask(url, { method: 'POST', headers: { ...headers, 'X-HTTP-Method-Override': method } });
      assert.deepEqual([answer.status, answer.headers['tus-resumable']], [403, '1.0.0'], method);
    }
    assert.equal((await ask(url.replace(`/${lane}/`, `/${lane}0/`), { headers })).status, 404);
  });
});
