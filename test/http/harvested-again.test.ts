import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { ask } from '../support/ask.ts';
import { onElasticsearch, SQLITE, type StoreKind } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { HARVESTING, HarvestedCollection } from '../support/harvests.ts';
import { OaiServer, oaiDc, oaiRecords } from '../support/oai-server.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const SPECS = ["it's, a/b c", 'ä:ö'];
const ODD_ENDS = ["oai:a:b/c d, e'f", 'oai:a:%2F..%2e/?x=1&y=<2>#z+ü', 'oai:a:../..//', '..'];
const LONG = ["/b c,'", 'ü%/ ,'].map((text) => `oai:a:${text.repeat(1_000)}`.slice(0, 999).concat('z'));
const IDENTIFIERS = [...ODD_ENDS, ...LONG];

const count = (text: string, part: RegExp) => text.match(part)?.length ?? 0;
const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&apos;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
const identifiersOf = (answer: string) =>
  [...answer.matchAll(/<header[^>]*><identifier>([^<]*)</g)].map(([, id]) => unescaped(id!));
const oai = async ({ url }: Pick<StartedApp, 'url'>, set: string, query: Readonly<Record<string, string>>) => {
  const { status, text } = await ask(`${url}/oai/${set}?${new URLSearchParams(query)}`);
  assert.equal(status, 200, text);
  return text;
};
const LIST = { verb: 'ListRecords', metadataPrefix: 'oai_dc' } as const;

describe('What was harvested', () => {
  let server: OaiServer;
  let started: StartedApp;
  let collection: HarvestedCollection;

  before(async () => {
    const records = IDENTIFIERS.map((identifier, at) => ({
      identifier,
      datestamp: '2020-01-01T00:00:00Z',
      sets: [SPECS[at % 2]!],
      metadata: oaiDc(['title', `Title ${at}`]),
    }));
    server = await OaiServer.start({ records, pageSize: 4, sets: SPECS });
    started = await startApp(SQLITE, HARVESTING);
    collection = await HarvestedCollection.make(started.app, server, { sets: SPECS });
    assert.deepEqual(
      (await collection.run()).lists.map(({ records }) => records),
      [3, 3],
    );
  });
  after(async () => {
    await closeApps();
    await server.close();
  });

  it('has any identifiers and setSpecs, as resources, in its repository, and harvested from that again (E47)', async () => {
    const list = (await ask(`${started.url}/sets/arxiv/resourcelist.xml`)).text;
    const locations = [...list.matchAll(/<loc>([^<]*)/g)].map(([, url]) => unescaped(url!));
    const served = await Promise.all(locations.map((url) => ask(url)));
    const found = served.map(({ text }) => unescaped(/<identifier>([^<]*)/.exec(text)![1]!));
    assert.deepEqual(found.toSorted(), IDENTIFIERS.toSorted());

    assert.deepEqual(identifiersOf(await oai(started, 'arxiv', LIST)).toSorted(), IDENTIFIERS.toSorted());
    assert.equal(identifiersOf(await oai(started, 'arxiv', { ...LIST, set: SPECS[0]! })).length, 3);
    for (const identifier of IDENTIFIERS) {
      const got = await oai(started, 'arxiv', { ...LIST, verb: 'GetRecord', identifier });
      assert.deepEqual(identifiersOf(got), [identifier]);
    }

    const { collections, harvestRunner } = started.app.records;
    await collections.add('again', { baseUrl: `${started.url}/oai/arxiv`, format: 'oai_dc' });
    // OAI-PMH allows no such setSpecs: the repository leaves them out, and takes them as arguments.
    const run = await harvestRunner.runHere('again', { kind: 'full' }, collection.attempt);
    assert.deepEqual([run.status, run.outcome?.created, run.outcome?.errors], [2, IDENTIFIERS.length, 0]);
    const twice = await oai(started, 'again', LIST);
    assert.deepEqual(identifiersOf(twice).toSorted(), IDENTIFIERS.toSorted());
    assert.equal(count(twice, /<originDescription /g), 2 * IDENTIFIERS.length, 'provenance is nested (E49)');
  });

  it('is listed from the second of its datestamp on, and not from the next one', async () => {
    const all = await oai(started, 'arxiv', LIST);
    const stamps = [...all.matchAll(/<\/identifier><datestamp>([^<]*)/g)].map(([, stamp]) => stamp!).toSorted();
    const last = stamps.at(-1)!;
    const listed = identifiersOf(await oai(started, 'arxiv', { ...LIST, from: last, until: last }));
    assert.equal(listed.length, stamps.filter((stamp) => stamp === last).length);
    const next = `${new Date(Date.parse(last) + 1_000).toISOString().slice(0, 19)}Z`;
    assert.match(await oai(started, 'arxiv', { ...LIST, from: next }), /code="noRecordsMatch"/);
  });

  it('is in the next list as soon as it has changed, without another step (E48, E50)', async () => {
    const [first, ...others] = server.repository.records;
    const changed = { ...first!, datestamp: '2100-01-01T00:00:00Z', metadata: oaiDc(['title', 'Newer']) };
    server.change({ records: [changed, ...others] });
    await collection.run();
    const all = await oai(started, 'arxiv', LIST);
    assert.deepEqual([count(all, /Newer</g), count(all, /Title 0</g)], [1, 0]);
    server.change({ records: [first!, ...others] });
  });

  it('has ten thousand sets in its repository, and a collection of the last one', async () => {
    const last = 'set9999';
    server.change({ sets: 10_000, records: [{ ...oaiRecords(1)[0]!, sets: [last] }] });
    await started.app.records.collections.add('sets', { baseUrl: server.url, format: 'oai_dc', sets: [last] });
    const run = await started.app.records.harvestRunner.runHere('sets', { kind: 'full' }, collection.attempt);
    assert.deepEqual([run.status, run.outcome?.created], [2, 1]);
    assert.equal(count(await oai(started, 'sets', { verb: 'ListSets' }), /<setSpec>/g), 10_000);
    await assert.rejects(
      started.app.records.collections.change('sets', { sets: ['set10000'] }),
      /no set "set10000": did you mean "set1000"\?/,
    );
  });
});

describe('A token of a list', () => {
  it('is valid on every server of its store, and after a restart', async () => {
    const server = await OaiServer.start({ records: oaiRecords(1_500), pageSize: 1_500 });
    try {
      const first = await startApp(SQLITE, HARVESTING);
      await (await HarvestedCollection.make(first.app, server)).run();
      const page = await oai(first, 'arxiv', { ...LIST, verb: 'ListIdentifiers' });
      const resumptionToken = /<resumptionToken[^>]*>([^<]+)/.exec(page)![1]!;
      const { artifacts } = first.app.configuration;
      await first.server.close();
      const store = { kind: 'sqlite', file: join(first.folder, 'tidemark.db') } as const;
      const second = await startApp(SQLITE, { store, artifacts });
      const rest = await oai(second, 'arxiv', { verb: 'ListIdentifiers', resumptionToken });
      assert.equal(new Set([...identifiersOf(page), ...identifiersOf(rest)]).size, 1_500);
      assert.match(rest, /<resumptionToken completeListSize="1500" cursor="1000"><\/resumptionToken>/);
    } finally {
      await closeApps();
      await server.close();
    }
  });
});

describe('A harvest of a store on Elasticsearch, with artifacts on S3', () => {
  const store: StoreKind = onElasticsearch(useElasticsearch());
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);

  it('is published, served by OAI-PMH, and removes by a full run what it did not see', async () => {
    const server = await OaiServer.start({ records: oaiRecords(25), pageSize: 10 });
    try {
      const place = parseS3Location(rootOf(s3, bucket.name, 'ingest'), 'artifacts');
      const artifacts = { kind: 's3', place, settings: { timeoutMs: 60_000 } } as const;
      const started = await startApp(store, { ...HARVESTING, artifacts });
      const collection = await HarvestedCollection.make(started.app, server);
      assert.deepEqual([(await collection.run()).status, (await collection.ids()).length], [2, 25]);
      const { text } = await ask(`${started.url}/sets/arxiv/resources/oai:example.org:7`);
      assert.match(text, /^<record xmlns="[^"]*"><header><identifier>oai:example.org:7</);
      server.change({ records: oaiRecords(24) });
      assert.equal((await collection.run({ kind: 'full' })).outcome?.deleted, 1);
      const all = await oai(started, 'arxiv', LIST);
      assert.deepEqual([identifiersOf(all).length, count(all, /status="deleted"/g)], [25, 1]);
    } finally {
      await closeApps();
      await server.close();
    }
  });
});
