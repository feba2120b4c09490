import assert from 'node:assert/strict';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

describe('An error of an upload that is long', () => {
  let started: StartedApp;
  let stream: ProcessedStream;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(closeApps);

  const get = async (path: string) => (await ask(`${started.url}${path}`)).text;

  it('is shown with the beginning of its id, on each page and in each form', async () => {
    // Field 001 is longer than what is read of the list for an error.
    const record = (id: string) =>
      `<record><leader>00000nam a2200000 a 4500</leader><controlfield tag="001">${id}</controlfield>` +
      '<datafield tag="245" ind1=" " ind2=" "><subfield code="a">A title</subfield></datafield></record>';
    const ids = ['b', 'c', 'd'].map((letter) => letter.repeat(100_000));
    const file = `<collection xmlns="http://www.loc.gov/MARC21/slim">${ids.map(record).join('')}</collection>`;
    await stream.process(await stream.upload({ 'new.xml': file, 'good.mrc': marc('1') }));

    const errors = '/api/organizations/lane/uploads/main/1/errors';
    const lines = (await get(errors)).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      ids.map((id) => `${id.slice(0, 1_023)}…`),
    );
    for (const text of [
      await get(`${errors}.csv`),
      await get('/organizations/lane/'),
      await get('/organizations/lane/streams/main/uploads/1/'),
    ]) {
      for (const id of ids) assert.ok(text.includes(`${id.slice(0, 1_023)}…`) && !text.includes(id.slice(0, 1_024)));
      assert.doesNotMatch(text, /cannot be read now/);
    }
  });
});
