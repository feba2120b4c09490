import assert from 'node:assert/strict';
import { ensureReceiving } from '../../src/records/arrivals/first-stream.ts';
import { OrganizationRegistry } from '../../src/records/organization-registry.ts';
import { StreamSets } from '../../src/records/stream-sets.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { FORM_HEADERS, field, file, formOf, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { beginTus, begunTus, sendTus } from '../support/tus.ts';

const URL_OF_FILE = 'https://example.org/a.mrc';

describeOnEachStore('The first upload of an organization', (store, itOnce) => {
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
  });

  const at = (query = '') => `${started.url}/api/organizations/${lane}/uploads${query}`;
  const pod = (query = '') => `${started.url}/organizations/${lane}/uploads${query}`;
  const resumable = () => `${started.url}/api/organizations/${lane}/resumable-uploads`;
  const streams = async () => {
    const { defaultStream, streams } = await started.app.records.organizations.get(lane);
    return [defaultStream, streams.map(({ id }) => id)];
  };
  const sets = async () =>
    (await started.app.sets.list()).map(({ slug }) => slug).filter((one) => one.startsWith(lane));
  const part = { name: 'upload[files][]', fileName: 'a.mrc', value: 'a' };
  const sendWhole = async (metadata: Readonly<Record<string, string>>) => {
    const begun = await beginTus(resumable(), 1, { filename: 'a.mrc', ...metadata });
    assert.equal(begun.status, 201, begun.text);
    return sendTus(new URL(begun.headers.location!, resumable()).href, 0, Buffer.from('a'));
  };

  /** Sends a file, with the name of a stream or without one, and returns where the upload is. */
  const doors: Readonly<Record<string, (stream: string) => Promise<string>>> = {
    form: async (stream) => (await postForm(at(`?stream=${stream}`), [file('a.mrc', 'a')])).json.stream,
    field: async (stream) => (await postForm(at(), [file('a.mrc', 'a'), field('stream', stream)])).json.stream,
    JSON: async (stream) => (await askJson(at(), { url: URL_OF_FILE, stream })).body.stream,
    pod: async (stream) => (await postForm(pod(`?stream=${stream}`), [part])).json.stream,
    podJSON: async (stream) => (await askJson(pod(), { upload: { url: URL_OF_FILE }, stream })).body.stream,
    tus: async (stream) => `${(await sendWhole({ stream })).headers['tidemark-upload']}`.replace(/\/1$/, ''),
    page: async (stream) => {
      const url = `${started.url}/organizations/${lane}/upload`;
      assert.match((await ask(url)).text, /The first upload makes the stream main\.|<option value="/);
      const body = formOf([field('stream', stream), file('a.mrc', 'a')]);
      const { headers, text } = await ask(url, { method: 'POST', headers: FORM_HEADERS, body });
      return /streams\/(.+)\/uploads\/1\/$/.exec(headers.location ?? text)?.[1] ?? text;
    },
  };
  for (const [door, send] of Object.entries(doors)) {
    itOnce(`makes its default stream, by ${door}, named or not, and an empty name is none (129, 136)`, async () => {
      assert.equal(await send(''), 'main');
      assert.deepEqual(await streams(), ['main', ['main']]);
      assert.equal((await sets()).length, 6);
      lane = `${lane}-named`;
      await started.app.records.organizations.add(lane, { contacts: [] });
      assert.equal(await send('nightly'), 'nightly');
      assert.deepEqual(await streams(), ['nightly', ['nightly']]);
    });
  }

  it('makes one stream when several are sent at once, and all of them are kept (129)', async () => {
    const sent = await Promise.all([
      ...Array.from({ length: 6 }, () => doors.form!('')),
      ...Array.from({ length: 2 }, () => doors.pod!('')),
      sendWhole({}).then(({ headers }) => `${headers['tidemark-upload']}`.replace(/\/\d+$/, '')),
    ]);
    assert.deepEqual([...new Set(sent)], ['main']);
    assert.deepEqual(await streams(), ['main', ['main']]);
    const { uploads } = (await askJson(at())).body;
    assert.deepEqual(
      uploads.map(({ number }: { readonly number: number }) => number),
      [9, 8, 7, 6, 5, 4, 3, 2, 1],
    );
  });

  itOnce('is kept when another one makes the stream between its checks (129)', async () => {
    const { catalog, sets, records } = started.app;
    const own = new StreamSets(sets);
    for (const named of ['', 'main']) {
      const id = `${lane}-${named || 'unnamed'}`;
      await records.organizations.add(id, { contacts: [] });
      const late = new OrganizationRegistry(catalog, {
        async requireFree(name) {
          await records.organizations.addStream(id, 'main');
          await own.requireFree(name);
        },
        ensure: (...args) => own.ensure(...args),
        ensureDumps: (...args) => own.ensureDumps(...args),
      });
      assert.equal(await ensureReceiving(late, id, named), 'main');
    }
  });

  itOnce('goes to the default stream that another one has made meanwhile (129)', async () => {
    const { uploads } = started.app.records;
    const unnamed = await uploads.begin(lane);
    await unnamed.add('a.mrc', [Buffer.from('a')]);
    assert.equal(await doors.form!('nightly'), 'nightly');
    assert.equal((await unnamed.finish({})).stream, 'nightly');
    assert.deepEqual(await streams(), ['nightly', ['nightly']]);
  });

  itOnce('makes nothing when it is refused or breaks off; later ones name a stream that exists (129)', async () => {
    const whole = formOf([file('a.mrc', 'a'.repeat(1_000))]);
    for (const [url, body, status] of [
      [at(), formOf([field('stream', 'main')]), 400],
      [at(), whole.subarray(0, -20), 400],
      [at('?stream=No%20Id'), whole, 400],
    ] as const) {
      assert.equal((await ask(url, { method: 'POST', headers: FORM_HEADERS, body })).status, status);
    }
    assert.equal(await begunTus(resumable(), 1, { filename: 'a.mrc', stream: '-' }).catch(() => 'refused'), 'refused');
    assert.deepEqual(await streams(), [undefined, []]);
    await doors.form!('');
    const other = await postForm(at('?stream=mian'), [file('a.mrc', 'a')]);
    assert.match(other.json.error.message, /has no stream "mian": did you mean "main"\?/);
    assert.equal((await askJson(at('?stream='))).body.uploads.length, 1);
  });
});
