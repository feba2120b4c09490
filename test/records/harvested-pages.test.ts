import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { SQLITE } from '../support/each-store.ts';
import { HarvestedStream } from '../support/harvested-stream.ts';
import { page, READING, record } from '../support/oai-pages.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { tar } from '../support/upload-packages.ts';

const pages = (...contents: readonly string[]): Buffer =>
  tar(Object.fromEntries(contents.map((content, at) => [`00000${at + 1}.xml.gz`, gzipSync(content)])));

const BAD = page(record('2').replace('</dc:title>', '\ufffe</dc:title>') + record('3'));
const FAULT = /it is not well-formed XML at byte \d+: the character U\+FFFE is not allowed in XML/;

describe('The pages of a harvest', () => {
  let started: StartedApp;
  let stream: HarvestedStream;
  beforeEach(async () => {
    started = await startApp(SQLITE);
    stream = await HarvestedStream.make(started.app);
  });
  afterEach(closeApps);

  it('change nothing when one of them is malformed, and say where (E16, E17)', async () => {
    const number = await stream.deliver(pages(page(record('1')), BAD), { normalization: READING }, 'run.tar');
    await assert.rejects(stream.process(number), { code: 'invalid', message: FAULT });
    const { failure } = await stream.state(number);
    assert.equal(failure!.isFinal, true);
    assert.match(failure!.error, /^run\.tar > 000002\.xml(?:\.gz)?: the record "2" cannot be read: /);
    assert.equal(await stream.ids(), '');
  });

  it('are taken without the records that are malformed, when the collection says so', async () => {
    const normalization = { ...READING, malformed: 'skip', transform: 'nsdl_dc' };
    const number = await stream.deliver(pages(page(record('1')), BAD), { normalization }, 'run.tar');
    await stream.process(number);
    const { read } = await stream.state(number);
    assert.deepEqual(read!.totals, { files: 2, records: 2, deletions: 0, errors: 1 });
    assert.equal(await stream.ids(), '1 3');
    const { errata } = await started.app.records.uploads.readErrata(read!.errata!, { at: 0, limit: 10 });
    assert.deepEqual(
      errata.map(({ id, ordinal }) => [id, ordinal]),
      [['2', 1]],
    );
    assert.match(errata[0]!.reason, FAULT);
  });

  it('keep what a full run has seen and could not read (E33, E37)', async () => {
    const normalization = { ...READING, malformed: 'skip' };
    const all = ['1', '2', '3', '4'].map((id) => record(id)).join('');
    const full = { normalization, unmentioned: 'deleted', acceptsDrop: true } as const;
    await stream.process(await stream.deliver(pages(page(all)), full, 'run.tar'));
    assert.equal(await stream.ids(), '1 2 3 4');
    await stream.process(await stream.deliver(pages(page(record('1')), BAD), full, 'run.tar'));
    assert.equal(await stream.ids(), '1 2 3');
  });
});
