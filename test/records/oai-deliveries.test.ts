import assert from 'node:assert/strict';
import type { InputItem } from '../../src/records/input-item.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { HarvestedStream } from '../support/harvested-stream.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const OAI = 'http://www.openarchives.org/OAI/2.0/';
const READING = { kind: 'oai', format: 'oai_dc', malformed: 'stop' };

describeOnEachStore('what a harvest by OAI-PMH delivers', (store, itOnce) => {
  let started: StartedApp;
  let stream: HarvestedStream;

  beforeEach(async () => {
    started = await startApp(store);
    stream = await HarvestedStream.make(started.app);
  });
  afterEach(closeApps);

  const deliver = async (records: Readonly<Record<string, readonly string[]>>, normalization: object = READING) => {
    const fields = { normalization: normalization as typeof READING };
    return stream.process(await stream.deliver(pageOf(records), fields, 'page.xml'));
  };
  const listed = async () => (await ask(`${started.url}/sets/arxiv/resourcelist.xml`)).text;
  const linksOf = (list: string) =>
    [...list.matchAll(/<rs:ln rel="describes" href="([^"]*)"/g)].map(([, href]) => href);

  it('has a link to each resource that a record is about, and is unchanged when it comes again (E41)', async () => {
    const records = {
      'oai:arXiv.org:cs/1': ['http://arxiv.org/abs/cs/1', 'doi:10.1/2', 'ftp://example.org/1.pdf?a&amp;b'],
      'oai:arXiv.org:cs/2': ['none'],
    };
    await deliver(records);
    assert.deepEqual(linksOf(await listed()), ['http://arxiv.org/abs/cs/1', 'ftp://example.org/1.pdf?a&amp;b']);
    assert.equal((await deliver(records)).unchanged, 2);

    const moved = { 'oai:arXiv.org:cs/1': ['https://arxiv.org/abs/cs/1'] };
    assert.equal((await deliver(moved)).updated, 1);
    assert.deepEqual(linksOf(await listed()), ['https://arxiv.org/abs/cs/1']);
  });

  itOnce('is read by activities as the metadata of each record, or as what was made of it', async () => {
    const read = async () => {
      const { source } = await started.app.records.streamReader.open(
        'stream:cornell/arxiv',
        new AbortController().signal,
      );
      const items: InputItem[] = [];
      for await (const batch of source.read()) items.push(...batch.items);
      source.close?.();
      return items.map((item) => (item.kind === 'record' ? `${item.mimetype} ${item.document}` : item.kind));
    };
    await deliver({ a: ['http://example.org/a'] });
    assert.match((await read()).join(), /^application\/xml <oai_dc:dc [^>]*>.*<\/oai_dc:dc>$/s);
    await deliver({ a: ['http://example.org/a'] }, { ...READING, transform: 'nsdl_dc' });
    assert.match((await read()).join(), /^application\/xml <nsdl_dc:nsdl_dc .*<\/nsdl_dc:nsdl_dc>$/s);
  });
});

function pageOf(records: Readonly<Record<string, readonly string[]>>): Buffer {
  const all = Object.entries(records).map(([id, identifiers]) => {
    const header = `<header><identifier>${id}</identifier><datestamp>2026-01-02</datestamp></header>`;
    const about = identifiers.map((identifier) => `<dc:identifier>${identifier}</dc:identifier>`).join('');
    const dc = `<oai_dc:dc><dc:title>A title</dc:title>${about}</oai_dc:dc>`;
    return `<record>${header}<metadata>${dc}</metadata></record>`;
  });
  const prefixes = `xmlns:oai_dc="${OAI}oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"`;
  const request = '<request verb="ListRecords" metadataPrefix="oai_dc">http://example.org/oai</request>';
  return Buffer.from(
    `<OAI-PMH xmlns="${OAI}" ${prefixes}><responseDate>2026-01-02T03:04:05Z</responseDate>${request}<ListRecords>${all.join('')}</ListRecords></OAI-PMH>`,
  );
}
