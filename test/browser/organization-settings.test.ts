import assert from 'node:assert/strict';
import { ask } from '../support/ask.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const POST = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' };

describe('The settings of an organization on its page', () => {
  const browser = useBrowser();
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    await started.app.records.organizations.add('lane', { title: 'Lane', contacts: [{ name: 'Ada' }] });
  });
  afterEach(closeApps);

  const post = (fields: Readonly<Record<string, string>>) =>
    ask(`${started.url}/organizations/lane/settings`, {
      method: 'POST',
      headers: POST,
      body: new URLSearchParams(fields).toString(),
    });
  const lane = () => started.app.records.organizations.get('lane');

  it('have normalization and schedules of dumps, which are shown as they were given', async () => {
    const page = await browser.open(`${started.url}/organizations/lane/settings`);
    await page.getByLabel('Normalization').selectOption('pod');
    await page.getByLabel('Code of the organization').fill('CSt');
    await page.getByLabel('Items').fill('952:i=p,a=o\n\n952:949:i=p');
    await page.getByLabel('Full dumps are made').fill('0 3 1 * *');
    await page.getByLabel('Deltas are made').fill('0 5 * * *');
    await page.getByLabel('Full dumps that are kept').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The organization was changed.').waitFor();
    const { normalization, dumps, title, contacts } = await lane();
    assert.deepEqual(normalization, {
      kind: 'pod',
      code: 'CSt',
      items: [
        { source: '952', destination: '998', subfields: { i: 'p', a: 'o' } },
        { source: '952', destination: '949', subfields: { i: 'p' } },
      ],
    });
    const { since, ...schedules } = dumps!;
    assert.deepEqual(schedules, { full: '0 3 1 * *', delta: '0 5 * * *', keep: 3 });
    assert.deepEqual([title, contacts], ['Lane', [{ name: 'Ada' }]]);

    await page.goto(`${started.url}/organizations/lane/settings`);
    assert.equal(await page.getByLabel('Items').inputValue(), '952:i=p,a=o\n952:949:i=p');
    assert.equal(await page.getByLabel('Full dumps that are kept').inputValue(), '3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The organization was changed.').waitFor();
    assert.deepEqual((await lane()).normalization, normalization);
    assert.deepEqual((await lane()).dumps, { ...schedules, since }, 'the schedules count since they were set');
  });

  it('do not change by a form without them, and are taken away by empty fields', async () => {
    await started.app.records.organizations.change('lane', {
      normalization: { kind: 'pod', items: [] },
      dumps: { full: '0 3 1 * *', keep: 3 },
    });
    assert.equal((await post({ title: 'Lane Library' })).status, 303);
    const changed = await lane();
    assert.deepEqual(changed.normalization, { kind: 'pod', items: [] });
    assert.deepEqual([changed.title, changed.dumps?.full, changed.dumps?.keep], ['Lane Library', '0 3 1 * *', 3]);

    const none = { normalization: 'none', code: '', items: '', fullDump: '', delta: '', keepDumps: '' };
    assert.equal((await post(none)).status, 303);
    const emptied = await lane();
    assert.deepEqual([emptied.normalization, emptied.dumps], [undefined, undefined]);
  });

  for (const [fields, says] of [
    [{ delta: 'each night' }, /each night.* is neither a schedule for dumps nor off/],
    [{ normalization: 'pod', items: '952' }, /is not a mapping of items: use FIELD:CODE=CODE,…, such as 952:i=p/],
    [{ keepDumps: '0' }, /Keep 1 to 1000 full dumps, not 0/],
  ] as const) {
    it(`say what is wrong with ${JSON.stringify(fields)}, and keep what was given`, async () => {
      const { status, text } = await post({ title: 'Other', ...fields });
      assert.equal(status, 400);
      const [, problem = ''] = /role="alert"><p>(.*?)<\/p>/s.exec(text) ?? [];
      assert.match(problem, says);
      assert.ok(Object.values(fields).every((value) => text.includes(value)));
      assert.equal((await lane()).title, 'Lane');
    });
  }
});
