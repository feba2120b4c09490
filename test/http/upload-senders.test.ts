import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { FORM_HEADERS, field, file, formOf, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { begunTus, sendTus } from '../support/tus.ts';

describeOnEachStore('Who sent an upload (134)', (store) => {
  let started: StartedApp;
  let uploader: { readonly id: string; readonly headers: Record<string, string> };
  let manager: Record<string, string>;
  let reader: Record<string, string>;

  before(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    const { records, access } = started.app;
    await records.organizations.add('lane', { contacts: [] });
    const tokenOf = async (name: string, scope: `upload:lane` | 'manage:lane' | 'download:lane') => {
      const { token, record } = await access.tokens.create({ name, scopes: [scope] });
      return { id: record.id, headers: { Authorization: `Bearer ${token}` } };
    };
    uploader = await tokenOf('nightly job', 'upload:lane');
    manager = (await tokenOf('Ada', 'manage:lane')).headers;
    reader = (await tokenOf('a reader', 'download:lane')).headers;
  });
  after(closeApps);

  const at = () => `${started.url}/api/organizations/lane/uploads`;
  const doors: Readonly<Record<string, (headers: Record<string, string>) => Promise<unknown>>> = {
    form: (headers) => postForm(at(), [file('a.mrc', 'a')], headers),
    JSON: (headers) => askJson(at(), { url: 'https://example.org/a.mrc' }, headers),
    pod: (headers) => postForm(`${started.url}/organizations/lane/uploads`, [file('a.mrc', 'a')], headers),
    async tus(headers) {
      const url = await begunTus(`${started.url}/api/organizations/lane/resumable-uploads`, 1, undefined, headers);
      return sendTus(url, 0, Buffer.from('a'), headers);
    },
    async page(headers) {
      const form = new URLSearchParams({ token: headers.Authorization!.slice('Bearer '.length) }).toString();
      const own = { Origin: started.url, 'X-Forwarded-For': headers['X-Forwarded-For']! };
      const signedIn = await ask(`${started.url}/sign-in`, {
        method: 'POST',
        body: form,
        headers: { ...own, 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
      const body = formOf([field('stream', ''), file('a.mrc', 'a')]);
      const sent = { ...own, ...FORM_HEADERS, Cookie: cookie };
      return ask(`${started.url}/organizations/lane/upload`, { method: 'POST', headers: sent, body });
    },
  };

  for (const [door, send] of Object.entries(doors)) {
    it(`is stored with it, by ${door}, and only those who manage the organization see all of it`, async () => {
      await send({ ...uploader.headers, 'X-Forwarded-For': '203.0.113.9, 2001:db8::7' });
      const newest = async (headers: Record<string, string>) => {
        const { uploads } = (await askJson(at(), undefined, headers)).body;
        const { stream, number } = uploads[0];
        const shown = (await askJson(`${at()}/${stream}/${number}`, undefined, headers)).body;
        const { text } = await ask(`${started.url}/organizations/lane/streams/${stream}/uploads/${number}/`, {
          headers: { Accept: 'text/html', ...headers },
        });
        assert.deepEqual(uploads[0].by, shown.by);
        return { by: shown.by, page: text };
      };
      const whole = { token: uploader.id, name: 'nightly job', address: '2001:db8::7' };

      const managed = await newest(manager);
      assert.deepEqual(managed.by, whole);
      assert.match(managed.page, /nightly job \([0-9a-f]{12}\), 2001:db8::7/);
      assert.deepEqual((await newest(uploader.headers)).by, { token: uploader.id, name: 'nightly job' });
      for (const headers of [reader, {}]) {
        const { by, page } = await newest(headers);
        assert.equal(by, undefined);
        assert.ok(!page.includes('nightly job') && !page.includes('2001:db8'), 'a page names the sender');
      }
    });
  }
});
