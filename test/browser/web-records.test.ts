import assert from 'node:assert/strict';
import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import { ask } from '../support/ask.ts';
import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { encodeSample } from '../support/marc-records.ts';
import { sampleVersion, subfieldA } from '../support/sample-versions.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const PHONE = { viewport: { width: 390, height: 800 } };
const SCRIPT = '<script>document.title = "hacked"</script><img src=x onerror=alert(1)>';

describe('Pages of records', () => {
  const browser = useBrowser();
  let started: StartedApp;
  let stream: ProcessedStream;

  before(async () => {
    started = await startApp(SQLITE);
    stream = await ProcessedStream.make(started.app);
  });
  after(closeApps);

  async function upload(bytes: Buffer): Promise<number> {
    const number = await stream.upload({ 'a.mrc': bytes });
    await stream.process(number);
    return number;
  }

  it('compare two versions, by a form, on a phone (132)', async () => {
    for (const pages of ['212 pages', '213 pages', '214 pages']) {
      await upload(
        sampleVersion({ 300: subfieldA('300', pages), 520: subfieldA('520', `${SCRIPT}${'x'.repeat(500)}`) }),
      );
    }
    const page = await browser.open(`${started.url}/sets/lane--main/resource?key=/a1`, PHONE);
    await requireFits(page);
    await page.getByRole('link', { name: 'what changed' }).first().click();
    await page.getByText('1 field changed.').waitFor();
    await requireFits(page);
    await page.getByLabel('Before').selectOption({ index: 2 });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('del', { hasText: '212' }).waitFor();
    assert.equal(await page.locator('ins').textContent(), '214');
    await requireFits(page);
  });

  it('show the fault of a record as it came, also of one that would do harm, on a phone', async () => {
    const bad = sampleVersion({ 650: subfieldA('650', SCRIPT) });
    bad[bad.indexOf('<img')] = 0xff;
    const number = await upload(Buffer.concat([marc('b'), bad]));
    const at = `/organizations/lane/uploads/main/${number}/records?ordinal=2&offset=${marc('b').length}#fault`;
    const page = await browser.open(started.url + at, PHONE);
    assert.equal(await page.locator('tr.fault mark').textContent(), '\\xFF');
    assert.match(await page.title(), /^Record 2 as it came/);
    await page.getByText('Its bytes').click();
    await requireFits(page);
  });

  it('stay small for a record of 10,000 fields', async () => {
    const fields: MarcField[] = [{ tag: '001', value: 'many' }];
    for (let at = 0; at < 10_000; at++) fields.push(subfieldA('999', `${at}`));
    // Of parts with one id, as a record of more than 99,999 bytes comes.
    const parts = Array.from({ length: 10 }, (_, part) =>
      encodeSample({
        leader: '00000cam a2200000 a 4500',
        fields: [fields[0]!, ...fields.slice(1).slice(part * 1_000, (part + 1) * 1_000)],
      }),
    );
    await upload(Buffer.concat(parts));
    const { text } = await ask(`${started.url}/sets/lane--main/resource?key=/many`, {
      headers: { Accept: 'text/html' },
    });
    assert.match(text, /fields more are not shown here/);
    assert.ok(text.length < 1_000_000, `${text.length}`);
  });
});
