import assert from 'node:assert/strict';
import type { HarvestRun } from '../../../src/records/collections/harvest-run.ts';
import { ask } from '../../support/ask.ts';
import { SQLITE } from '../../support/each-store.ts';
import { HARVESTING, HarvestedCollection } from '../../support/harvests.ts';
import { type OaiRecord, OaiServer, oaiDc, oaiRecords } from '../../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../../support/start-app.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const MODS = 'urn:mods';
const SHEET = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:m="${MODS}" xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="m">
  <xsl:template match="/m:mods[m:title]">
    <nsdl_dc:nsdl_dc xmlns:nsdl_dc="http://ns.nsdl.org/nsdl_dc_v1.02/" schemaVersion="1.02.020"><dc:title><xsl:value-of select="m:title"/></dc:title></nsdl_dc:nsdl_dc>
  </xsl:template>
</xsl:stylesheet>`;
const MAPPING = { language: 'xpath', namespaces: { m: MODS }, fields: { 'dc:title': '//m:title' } };
const TITLES = '<title>A map</title>';

describe('The records of a harvest', () => {
  const folder = useTempFolder();
  let server: OaiServer;
  let started: StartedApp;
  let collection: HarvestedCollection;

  before(async () => {
    const formats = ['oai_dc', 'mods'].map((prefix) => ({
      prefix,
      namespace: prefix === 'mods' ? MODS : 'http://www.openarchives.org/OAI/2.0/oai_dc/',
      schema: 'http://example.org/schema.xsd',
    }));
    server = await OaiServer.start({ formats, sets: ['a', 'b'] });
    started = await startApp(SQLITE, HARVESTING);
    collection = await HarvestedCollection.make(started.app, server);
  });
  after(async () => {
    await closeApps();
    await server.close();
  });

  /** A full run of records with such metadata, after changes of the collection. */
  const harvest = async (metadata: readonly string[], changes: object, more: Partial<OaiRecord> = {}) => {
    const all = oaiRecords(metadata.length, more);
    server.change({ records: all.map((record, at) => ({ ...record, metadata: metadata[at]! })), fault: undefined });
    const defaults = { format: 'oai_dc', transform: '', validate: false, requireUri: false, sets: [] };
    await started.app.records.collections.change('arxiv', { ...defaults, ...changes });
    return collection.run({ kind: 'full', force: true });
  };
  const document = async (number: number) =>
    (await ask(`${started.url}/sets/arxiv/resources/oai:example.org:${number}`)).text;
  const numbers = ({ status, outcome }: HarvestRun) => [status, outcome?.records, outcome?.errors, outcome?.warnings];
  const mods = (inner: string) => `<mods xmlns="${MODS}">${inner}</mods>`;

  for (const [name, content] of [
    ['mods.xsl', SHEET],
    ['mapping.json', JSON.stringify(MAPPING)],
  ] as const) {
    it(`become nsdl_dc by ${name}, beside what was harvested (E18, E22, E23)`, async () => {
      folder.write(name, content);
      const transform = folder.at(name);
      const run = await harvest([mods(TITLES), mods('')], { format: 'mods', transform });
      assert.deepEqual(numbers(run), [3, 1, 1, 0], run.failure);
      assert.match(run.outcome!.reasons[0]!.reason, /nsdl_dc cannot be made of it/);
      const stored = await document(1);
      assert.ok(stored.includes(`<metadata>${mods(TITLES)}</metadata>`), stored);
      assert.match(stored, /<derived [^>]*format="nsdl_dc"><nsdl_dc:nsdl_dc .*>A map<\/dc:title>/);
      for (const kind of ['test', 'check'] as const)
        assert.deepEqual(numbers(await collection.run({ kind })), [3, 1, 1, 0]);
    });
  }

  it('are not taken without nsdl_dc, and keep their former state (E40)', async () => {
    await harvest([oaiDc(['title', 'One']), oaiDc(['title', 'Two'])], { transform: 'nsdl_dc' });
    const run = await harvest([oaiDc(['title', 'New']), oaiDc(['creator', 'none'])], { transform: 'nsdl_dc' });
    assert.deepEqual(numbers(run), [3, 1, 1, 0]);
    assert.match(await document(1), /<dc:title>New<.*<nsdl_dc:nsdl_dc .*<dc:title>New</);
    assert.match(await document(2), /<dc:title>Two<.*<nsdl_dc:nsdl_dc .*<dc:title>Two</);
  });

  it('are in the format that was asked for, or end the run (E02, E20)', async () => {
    const { status, failure } = await harvest([mods(TITLES)], { format: 'oai_dc' });
    assert.equal(status, 4);
    assert.match(failure!, /the format oai_dc was requested, .* the records are in urn:mods/);
  });

  it('are checked by their schema, and for a URI, when the collection says so (E19, e9)', async () => {
    const good = oaiDc(['title', 'A'], ['identifier', 'https://example.org/a']);
    const invalid = good.replace('<dc:title>', '<dc:colour>red</dc:colour><dc:title>');
    const withoutUri = oaiDc(['title', 'A'], ['identifier', 'doi:10.1/2']);
    const both = { validate: true, requireUri: true };
    const run = await harvest([good, invalid, withoutUri], both);
    assert.deepEqual(numbers(run), [3, 1, 2, 0]);
    const reasons = run.outcome!.reasons.map(({ reason }) => reason).join('\n');
    assert.match(reasons, /not valid by the schema of its format: .*colour/);
    assert.match(reasons, /no identifier that is a http, https or ftp URI/);
    assert.deepEqual(numbers(await harvest([good, invalid, withoutUri], {})), [2, 3, 0, 0]);
  });

  it('of another set than asked are taken, with a warning (E15)', async () => {
    const records = [oaiDc(['title', 'A']), oaiDc(['title', 'B'])];
    await harvest(records, { sets: ['a'] }, { sets: ['a'] });
    server.change({ fault: { name: 'other-set', page: 1 } });
    const run = await collection.run({ kind: 'full' });
    assert.deepEqual(numbers(run), [3, 2, 0, 1]);
    assert.match(run.outcome!.reasons[0]!.reason, /none of the requested sets/);
  });

  it('of a full run are seen when one of its sets has them', async () => {
    const [one, two, three] = oaiRecords(3);
    const list = { sets: ['a', 'b'] } as const;
    await harvest([oaiDc(['title', 'A'])], {});
    await started.app.records.collections.change('arxiv', list);
    server.change({
      records: [
        { ...one!, sets: ['a'] },
        { ...two!, ...list },
        { ...three!, sets: ['b'] },
      ],
    });
    await collection.run({ kind: 'full', force: true });
    server.change({
      records: [
        { ...one!, sets: ['b'] },
        { ...two!, sets: ['a'] },
      ],
    });
    const { outcome } = await collection.run({ kind: 'full', force: true });
    assert.equal(outcome?.deleted, 1);
    assert.deepEqual(await collection.ids(), ['oai:example.org:1', 'oai:example.org:2']);
  });

  it('that come twice in a run, on different pages, are as they came last', async () => {
    const [one, two] = oaiRecords(2);
    const titled = (title: string) => ({ ...one!, metadata: oaiDc(['title', title]) });
    await harvest([oaiDc(['title', 'A'])], {});
    server.change({ records: [titled('Former'), titled('Latter'), two!], pageSize: 1 });
    const { outcome } = await collection.run({ kind: 'full', force: true });
    server.change({ pageSize: 100 });
    assert.deepEqual([outcome?.created, outcome?.updated], [1, 1]);
    assert.match(await document(1), /<dc:title>Latter</);
  });

  it('keep header, datestamp, sets and about, and lose none of it on the way (E49)', async () => {
    const about = ['<note xmlns="urn:note">kept</note>', '<more xmlns="urn:more"></more>'];
    const run = await harvest([oaiDc(['title', 'A'])], { sets: [] }, { sets: ['a', 'x:y'], about });
    assert.equal(run.status, 2);
    const header =
      '<header><identifier>oai:example.org:1</identifier><datestamp>2020-01-01T00:00:00Z</datestamp><setSpec>a</setSpec><setSpec>x:y</setSpec></header>';
    const stored = await document(1);
    for (const part of [header, ...about.map((one) => `<about>${one}</about>`)]) assert.ok(stored.includes(part), part);
  });
});
