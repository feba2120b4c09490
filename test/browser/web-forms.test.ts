import assert from 'node:assert/strict';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask } from '../support/ask.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { BROWSER, event, HOSTILE, pageAt, post } from '../support/web-source.ts';

const PREFIX = 'https://data.example.org/papers/';

describe('Forms of the pages', () => {
  const browser = useBrowser();
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE);
  });
  afterEach(closeApps);

  const send = (
    path: string,
    fields: Record<string, string> | readonly (readonly [string, string])[],
    origin = started.url,
  ) =>
    ask(started.url + path, {
      method: 'POST',
      headers: { ...BROWSER, Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields as Record<string, string>).toString(),
    });

  it('change only what a person has changed', async () => {
    const { sets } = started.app;
    await sets.add({ slug: 'papers', urlPrefix: PREFIX, title: 'Papers', aliases: ['old'], pageEntries: 7 });
    const before = await sets.bySlug('papers');
    const text = await pageAt(`${started.url}/sets/papers/settings`);
    const fields = fieldsOf(text);
    assert.equal((await send('/sets/papers/settings', fields)).status, 303);
    assert.deepEqual(await sets.bySlug('papers'), before, 'nothing was changed in the form');

    const changed = fields.filter(([name]) => !['title', 'aliases', 'private'].includes(name));
    const given = [
      ['title', ' New title '],
      ['aliases', 'one\r\n\r\ntwo '],
      ['private', 'yes'],
      ['publishHashes', 'md5'],
    ] as const;
    const { status, headers } = await send('/sets/papers/settings', [...changed, ...given]);
    assert.deepEqual([status, headers.location], [303, './settings?did=change']);
    const set = await sets.bySlug('papers');
    assert.deepEqual(
      [set.title, set.aliases, set.private, set.publishHashes, set.pageEntries],
      ['New title', ['one', 'two'], true, ['md5'], 7],
    );
    const emptied = [
      ['pageSize', ''],
      ['title', ' '],
    ] as const;
    assert.equal((await send('/sets/papers/settings', emptied)).status, 303);
    assert.deepEqual(
      [(await sets.bySlug('papers')).pageEntries, (await sets.bySlug('papers')).title],
      [10_000, undefined],
    );
  });

  it('show again what was given, escaped, and what is wrong with it', async () => {
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
    for (const [path, fields, message] of [
      ['/add-set', { set: 'papers', urlPrefix: PREFIX, title: HOSTILE }, /There is, or was, a set &quot;papers&quot;/],
      ['/add-set', { set: 'more', title: HOSTILE }, /Say where its resources come from/],
      [
        '/add-set',
        { set: 'more', urlPrefix: PREFIX, fromInterval: '7', title: HOSTILE },
        /“Seconds between two polls”[^<]*“Copy of another source”/,
      ],
      ['/add-set', { set: 'more', root: '/etc', title: HOSTILE }, /This server may not publish that root/],
      [
        '/sets/papers/settings',
        { title: HOSTILE, pageSize: 'many' },
        /<p>Resources of a list page is wrong: use a whole number[\s\S]*name="pageSize"[^>]* aria-invalid="true"/,
      ],
      ['/sets/papers/remove', { confirm: 'paper' }, /The set was not removed: type its id, papers/],
      ['/tokens', { name: HOSTILE, scopes: 'everything' }, /&quot;everything&quot; is not a scope/],
      ['/tokens', { name: HOSTILE, scopes: 'post:none' }, /There is no set &quot;none&quot;/],
      ['/tokens', { name: HOSTILE, scopes: 'metrics', expires: 'soon' }, /&quot;soon&quot; is not a time/],
    ] as const) {
      const { status, text } = await send(path, fields as Record<string, string>);
      assert.equal(status, 400, path);
      assert.match(text, message);
      assert.doesNotMatch(text, /<script>alert/);
      if (!path.endsWith('remove')) assert.ok(text.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;'), path);
    }
    assert.equal((await started.app.sets.list()).length, 1);
    assert.equal((await started.app.access.tokens.list()).length, 0);
  });

  it('have the settings that a set can have, and say how lists are written', async () => {
    const { app } = started;
    await app.sets.add({ slug: 'posted', urlPrefix: PREFIX });
    await app.sets.add({ slug: 'files', origin: originOfRoot(await makeFolder(started, 'files')) });
    await app.sets.add({ slug: 'records', origin: { kind: 'artifact', provider: 'cdl', activity: 'harvest' } });
    await app.records.organizations.add('lane', { contacts: [] });
    const always = ['archiveDays', 'archiveSchedule', 'pageSize', 'title', 'windowSize'];
    const dumps = ['dumpCompression', 'dumpPackageBytes', 'dumpSchedule', 'keepVersions'];
    const posting = ['aliases', 'resourceRootDir'];
    for (const [slug, others] of [
      ['posted', ['private', 'publishHashes', ...posting]],
      ['files', ['private', 'publishHashes', 'exclude', 'links', 'versionsDays', ...posting, ...dumps]],
      ['records', ['private', 'publishHashes', ...dumps]],
      ['lane', dumps],
      ['lane.uploads', []],
    ] as const) {
      const text = await pageAt(`${started.url}/sets/${slug}/settings`);
      const names = new Set(
        [...text.matchAll(/<(?:input|select|textarea)[^>]* name="(\w+)"/g)].map(([, name]) => name),
      );
      names.delete('confirm');
      assert.deepEqual([...names].sort(), [...always, ...others].sort(), slug);
      assert.equal(/patterns in the manner of \.gitignore\. One in a line\./.test(text), slug === 'files');
      assert.doesNotMatch(text, /each time/);
    }
  });

  it('keep the settings of a set when its removal is not confirmed', async () => {
    const { sets } = started.app;
    await sets.add({ slug: 'papers', urlPrefix: PREFIX, title: 'Papers', private: true });
    const before = await sets.bySlug('papers');
    const { status, text } = await send('/sets/papers/remove', { confirm: 'paper' });
    assert.equal(status, 400);
    assert.match(text, /<details class="danger" open>/);
    assert.equal((await send('/sets/papers/settings', fieldsOf(text))).status, 303);
    assert.deepEqual(await sets.bySlug('papers'), before);
  });

  it('show a new token to the browser that has made it, and keep it in no cache', async () => {
    const { headers, text } = await send('/tokens', { name: 'T', scopes: 'administer' });
    assert.doesNotMatch(text, /tdm_/);
    const cookie = String(headers['set-cookie']).split(';')[0]!;
    assert.doesNotMatch(decodeURIComponent(cookie), /tdm_/);
    const at = `${started.url}/tokens/made`;
    const shown = await ask(at, { headers: { ...BROWSER, Cookie: cookie } });
    assert.match(shown.text, /<pre[^>]*><code class="copied">tdm_/);
    assert.equal(shown.headers['cache-control'], 'no-store');
    assert.match(String(shown.headers['set-cookie']), /=; Max-Age=0;/);
    assert.match(await pageAt(at), /A new token is shown once, and cannot be shown again/);
    const asSession = cookie.replace('_made=', '=');
    assert.equal((await ask(`${started.url}/api/tokens`, { headers: { Cookie: asSession } })).status, 401);
    const { token } = await started.app.access.tokens.create({ name: 'S', scopes: ['administer'] });
    const session = await started.app.access.sessions.begin(token);
    const asMade = `${session.name}_made=${session.value}`;
    assert.match(await pageAt(at, { Cookie: asMade }), /A new token is shown once, and cannot be shown again/);
  });

  it('say in whole days when a new token expires', async () => {
    const expires = Date.now() + 90 * 86_400_000;
    const { token } = await started.app.access.tokens.create({ name: 'T', scopes: ['administer'], expires });
    assert.match(await pageAt(`${started.url}/tokens`, { Authorization: `Bearer ${token}` }), />in 90 days</);
  });

  it('do nothing for pages of another origin', async () => {
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
    for (const [path, fields] of [
      ['/add-set', { set: 'more', urlPrefix: PREFIX }],
      ['/sets/papers/settings', { title: 'T' }],
      ['/sets/papers/remove', { confirm: 'papers' }],
      ['/sets/papers/scan', {}],
      ['/tokens', { name: 'T', scopes: 'administer' }],
      ['/tokens/000000000000/revoke', {}],
    ] as const) {
      assert.equal((await send(path, fields as Record<string, string>, 'https://evil.example.org')).status, 403, path);
    }
    assert.deepEqual(
      (await started.app.sets.list()).map(({ slug, title }) => [slug, title]),
      [['papers', undefined]],
    );
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`add, change, scan and remove a set, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const page = await browser.open(`${started.url}/`, { javaScriptEnabled });
      await page.getByRole('link', { name: 'Add a set' }).click();
      await page.getByLabel('Id', { exact: true }).fill('papers');
      await page.getByLabel('Title').fill('Papers of today');
      await page.getByLabel('URL prefix').fill(PREFIX);
      await page.getByRole('button', { name: 'Add the set' }).click();
      await page.getByText('The set was added.').waitFor();
      await page.getByLabel('Resources of a list page').fill('12');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings were changed.').waitFor();
      assert.equal((await started.app.sets.bySlug('papers')).pageEntries, 12);
      await post(started, 'papers', [event('a')]);
      await page.getByText('Remove the set papers …').click();
      await page.getByLabel('Type the id of the set').fill('papers');
      await page.getByRole('button', { name: 'Remove it for good' }).click();
      await page.waitForURL(`${started.url}/`);
      assert.deepEqual(await started.app.sets.list(), []);

      await started.app.sets.add({ slug: 'files', origin: originOfRoot(await makeFolder(started, 'files')) });
      await page.goto(`${started.url}/sets/files/settings`);
      await page.getByRole('button', { name: 'Scan all of it' }).click();
      await page.getByText('A scan begins within seconds').waitFor();
      assert.ok((await started.app.sets.bySlug('files')).scanRequested! > 0);
    });

    it(`make a token, show it once, and revoke it in two steps, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const page = await browser.open(`${started.url}/tokens`, { javaScriptEnabled });
      await page.getByLabel('Name').fill('Reading room');
      await page.getByLabel('Scopes').fill('metrics\nadminister');
      await page.getByRole('button', { name: 'Make the token' }).click();
      const token = (await page.locator('pre code').textContent())!;
      assert.equal((await started.app.access.tokens.show(token)).state, 'valid');
      await page.getByText('It is the first token').waitFor();
      await page.reload();
      await page.getByText('A new token is shown once').waitFor();
      assert.ok(!(await page.content()).includes(token));
      assert.equal((await started.app.access.tokens.list()).length, 1);
      assert.deepEqual(await page.context().cookies(), []);
      // Now it takes a token.
      await page.goto(`${started.url}/tokens`);
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('cell', { name: 'metrics, administer' }).waitFor();
      assert.ok(!(await page.content()).includes(token));
      await page.locator('summary').click();
      await page.getByRole('button', { name: 'Revoke it Reading room' }).click();
      await page.waitForURL(/sign-in/);
      assert.equal((await started.app.access.tokens.show(token)).state, 'revoked');
    });
  }
});

/** The fields of the form of settings, as a browser would send them. */
function fieldsOf(page: string): readonly (readonly [string, string])[] {
  const form = /<form class="fields" method="post" action="\.\/settings">(.*?)<\/form>/s.exec(page)![1]!;
  const inputs = [...form.matchAll(/<input (?!type="checkbox")[^>]*name="(\w+)"[^>]* value="([^"]*)"/g)];
  const boxes = [...form.matchAll(/<input type="checkbox" name="(\w+)" value="([^"]*)" checked/g)];
  const areas = [...form.matchAll(/<textarea [^>]*name="(\w+)"[^>]*>([^<]*)</g)];
  const selects = [...form.matchAll(/<select [^>]*name="(\w+)".*?<option value="([^"]*)" selected/gs)];
  return [...inputs, ...boxes, ...areas, ...selects].map(([, name, value]) => [name!, value!] as const);
}
