import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { HarvestRun } from '../../../src/records/collections/harvest-run.ts';
import { describeOnEachStore } from '../../support/each-store.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { HARVESTING, HarvestedCollection } from '../../support/harvests.ts';
import { OaiServer, oaiDc, oaiRecords } from '../../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../../support/start-app.ts';

describeOnEachStore('harvests', (store, itOnce) => {
  let server: OaiServer;
  let started: StartedApp;
  let collection: HarvestedCollection;
  let receiver: FileServer | undefined;

  beforeEach(async () => {
    server = await OaiServer.start({ records: oaiRecords(25), pageSize: 10 });
    started = await startApp(store, HARVESTING);
  });
  afterEach(async () => {
    await closeApps();
    await server.close();
    await receiver?.close();
    receiver = undefined;
  });

  const make = async (fields: Parameters<typeof HarvestedCollection.make>[2] = {}) => {
    collection = await HarvestedCollection.make(started.app, server, fields);
  };
  const ended = ({ status, failure, outcome: { created, updated, deleted, unchanged } = {} as never }: HarvestRun) => ({
    ...{ status, failure },
    numbers: [created, updated, deleted, unchanged],
  });
  const lists = () => server.queriesOf('ListRecords');

  it('follows tokens to the end, stores each response, and applies all of it (E13, E14)', async () => {
    await make();
    const pages: number[] = [];
    const run = await collection.run({}, { onProgress: ({ lists: [list] }) => pages.push(list!.pages) });

    assert.deepEqual(ended(run), { status: 2, failure: undefined, numbers: [25, 0, 0, 0] });
    assert.deepEqual(pages, [1, 2, 3]);
    assert.deepEqual(
      run.lists.map(({ records, completeListSize, isComplete }) => [records, completeListSize, isComplete]),
      [[25, 25, true]],
    );
    assert.equal((await collection.ids()).length, 25);
    const upload = await started.app.records.harvestRuns.uploadOf(run);
    assert.deepEqual(
      upload?.files.map(({ name }) => name),
      ['arxiv-1.tar'],
    );
    const state = await started.app.records.uploads.stateOf(upload!);
    assert.deepEqual(
      state?.read?.files.map(({ path }) => path.at(-1)),
      ['000001.xml.gz', '000002.xml.gz', '000003.xml.gz'],
    );
  });

  it('asks next from the first answer of the last applied run, less a granule, for each set', async () => {
    server.change({ sets: ['a', 'b'], now: () => Date.UTC(2026, 0, 1), records: oaiRecords(5, { sets: ['a'] }) });
    await make({ sets: ['a'] });
    await collection.run();
    const [gone, ...others] = oaiRecords(5, { sets: ['a'] });
    const changed = { ...gone!, datestamp: '2026-01-01T00:00:00Z', sets: ['a', 'b'], deleted: true as const };
    const records = [changed, ...others];
    server.change({ records });
    await started.app.records.collections.change('arxiv', { sets: ['a', 'b'] });

    const run = await collection.run();

    assert.deepEqual(
      run.lists.map(({ set, from }) => [set, from]),
      [
        ['a', '2025-12-31T23:59:59Z'],
        ['b', undefined],
      ],
    );
    assert.deepEqual(ended(run).numbers.slice(0, 3), [0, 0, 1]);
    server.change({ records: [], now: () => Date.UTC(2026, 5, 1) });
    assert.deepEqual(ended(await collection.run()), { status: 2, failure: undefined, numbers: [0, 0, 0, 0] });
    assert.equal((await collection.run()).lists[1]!.from, '2026-05-31T23:59:59Z');
  });

  it('removes by a full run exactly what it did not see, and nothing when there are no records (E32-E39, e5)', async () => {
    await make();
    await collection.run();
    server.change({ records: oaiRecords(24) });
    assert.deepEqual(ended(await collection.run({ kind: 'incremental' })).numbers[2] ?? 0, 0);
    assert.deepEqual(ended(await collection.run({ kind: 'full' })), {
      status: 2,
      failure: undefined,
      numbers: [0, 0, 1, 24],
    });
    server.change({ records: [] });
    const empty = await collection.run({ kind: 'full' });
    assert.deepEqual([empty.status, /no records/.test(empty.failure!)], [4, true]);
    server.change({ records: oaiRecords(2) });
    const drop = await collection.run({ kind: 'full' });
    assert.deepEqual([drop.status, /--force/.test(drop.failure!)], [4, true]);
    const { records, jobs } = started.app;
    await assert.rejects(jobs.uploads.retry((await records.harvestRuns.uploadOf(drop))!), {
      code: 'conflict',
      message: /of a harvest, which has failed: .*tidemark harvest arxiv --again/,
    });
    assert.equal((await collection.ids()).length, 24);
    assert.deepEqual(ended(await collection.run({ kind: 'full', force: true })).numbers, [0, 0, 22, 2]);
  });

  itOnce('begins a list again, once, when its token has expired', async () => {
    await make();
    server.change({ fault: { name: 'bad-resumption-token', times: 1 } });
    const run = await collection.run();
    assert.deepEqual([run.status, run.lists[0]!.hasBegunAgain, (await collection.ids()).length], [2, true, 25]);
    server.change({ fault: { name: 'bad-resumption-token' } });
    const failed = await collection.run({ kind: 'full' });
    assert.equal(failed.status, 4);
    assert.match(failed.failure!, /badResumptionToken: said on purpose \(page 2, token ".*…?", last identifier "oai:/);
  });

  itOnce('reads stored responses again, with the transform of now, and keeps newer records', async () => {
    server.change({ records: oaiRecords(3) });
    await make();
    await collection.run();
    const [first, ...others] = oaiRecords(3);
    const changed = { ...first!, datestamp: '2026-01-01T00:00:00Z', metadata: oaiDc(['title', 'new']) };
    server.change({ records: [changed, ...others] });
    await collection.run();
    const before = lists().length;

    const same = await collection.run({ kind: 'again', of: 1 });
    assert.deepEqual(ended(same), { status: 2, failure: undefined, numbers: [0, 0, 0, 3] });
    await started.app.records.collections.change('arxiv', { transform: 'nsdl_dc' });
    assert.deepEqual(ended(await collection.run({ kind: 'again', of: 1 })).numbers, [0, 3, 0, 0]);
    assert.equal(lists().length, before);
    await assert.rejects(collection.run({ kind: 'again', of: 9 }), { code: 'not-found' });
  });

  itOnce('brings nothing back that a full run has deleted', async () => {
    server.change({ records: oaiRecords(25) });
    await make();
    await collection.run();
    server.change({ records: oaiRecords(24) });
    await collection.run({ kind: 'full' });
    const refused = await collection.run({ kind: 'again', of: 1 });
    assert.equal(refused.status, 4);
    assert.match(refused.failure!, /the run 2 after it was a full one.*--again 2/);
    assert.deepEqual(ended(await collection.run({ kind: 'again', of: 2 })).numbers, [0, 0, 0, 24]);
    assert.equal((await collection.ids()).length, 24);
  });

  itOnce('misses nothing when the clock of the repository was wrong for a time', async () => {
    server.change({ now: () => Date.UTC(2099, 0, 1) });
    await make();
    await collection.run();
    const [first, ...others] = oaiRecords(26);
    server.change({ now: Date.now, records: [{ ...first!, metadata: oaiDc(['title', 'new']) }, ...others] });
    const run = await collection.run();
    assert.deepEqual([ended(run).numbers, run.lists[0]!.from], [[1, 1, 0, 24], undefined]);
  });

  itOnce('ends as its upload does when it is stopped after its list was complete', async () => {
    await make();
    const stopped = new AbortController();
    const stop = { signal: stopped.signal, report: () => {} };
    const { app } = started;
    const report = ({ text = '' }: { text?: string }) => {
      if (/applied|read/.test(text)) stopped.abort(new Error('stopped'));
    };
    await assert.rejects(collection.run({}, { ...stop, report }), /stopped/);
    const run = await app.records.harvestRuns.get({ collection: 'arxiv', number: 1 });
    assert.deepEqual([run.state, run.status], ['received', undefined]);
    await app.records.harvestRunner.fail(run, 'its job was cancelled');
    assert.equal((await app.records.harvestRuns.get(run)).state, 'received');

    const upload = await app.records.harvestRuns.uploadOf(run);
    await app.records.uploadProcessor.process(upload!, { ...collection.attempt, isLast: true });
    await app.records.harvestRunner.fail(run, 'its job was cancelled');
    assert.deepEqual(ended(await app.records.harvestRuns.get(run)).numbers, [25, 0, 0, 0]);
  });

  itOnce('tests and checks without changing anything (E09, E10)', async () => {
    server.change({ records: oaiRecords(3), fault: { name: 'no-datestamp', page: 1 } });
    await make();
    for (const kind of ['test', 'check'] as const) {
      const { status, outcome, upload } = await collection.run({ kind });
      assert.deepEqual([status, outcome?.records, outcome?.errors, upload], [3, 2, 1, undefined]);
      assert.equal(outcome?.examples?.[0]?.id, 'oai:example.org:1');
    }
    assert.deepEqual(await collection.ids(), []);
    server.change({ formats: [] });
    assert.equal((await collection.run({ kind: 'check' })).status, 4);
  });

  itOnce('sends one message at the end of each run until it is accepted (E42-E46)', async () => {
    const answers = [500, 200, 200];
    const messages: string[] = [];
    receiver = await startFileServer((request: IncomingMessage, response) => {
      messages.push(request.url!);
      response.writeHead(answers.shift() ?? 200).end();
    });
    await make({ message: `${receiver.url}/log?a=b` });
    const { app } = started;

    const run = await collection.run({ uuid: 'u-1' });
    const asRead = await app.records.harvestRuns.get(run);
    assert.deepEqual(asRead.message, { attempts: 1, problem: 'the server answers 500' });
    const { signal } = new AbortController();
    for (let time = 0; time < 2; time++) await app.records.harvestMessages.send(run, signal);
    await collection.run({ kind: 'test' });

    assert.equal(messages.length, 3);
    const { status, uuid, ts, a } = Object.fromEntries(new URL(messages[1]!, 'http://x').searchParams);
    assert.deepEqual([status, uuid, a], ['2', 'u-1', 'b']);
    assert.match(ts!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  itOnce('sends its message from one process at a time', async () => {
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    receiver = await startFileServer((_: IncomingMessage, response) => {
      sent.resolve();
      answer.promise.then(() => response.writeHead(204).end());
    });
    await make({ message: receiver.url });
    const run = collection.run();
    await sent.promise;
    const { harvestMessages, harvestRuns } = started.app.records;
    const { signal } = new AbortController();
    const other = harvestMessages.send({ collection: 'arxiv', number: 1 }, signal);
    setTimeout(answer.resolve, 300);
    await Promise.all([run, other]);

    const { message } = await harvestRuns.get({ collection: 'arxiv', number: 1 });
    assert.deepEqual([receiver.requests.length, message?.attempts, message?.accepted !== undefined], [1, 1, true]);
  });

  itOnce('refuses another run while one has not ended, and continues one whose process was killed', async () => {
    await make();
    const other = new AbortController();
    await assert.rejects(
      collection.run({}, { onProgress: () => other.abort(new Error('stopped')), signal: other.signal }),
      /stopped/,
    );
    assert.match((await app().records.harvestRuns.get({ collection: 'arxiv', number: 1 })).failure!, /it was stopped/);

    await app().records.harvestRuns.queue('arxiv', { kind: 'full' }, { by: 'request' });
    await assert.rejects(collection.run(), { code: 'conflict', message: /arxiv\/2 has not ended.*--queue/ });
  });
  const app = () => started.app;

  itOnce('reads a static repository: one document with all records', async () => {
    const oai = 'http://www.openarchives.org/OAI/2.0/';
    const records = ['one', 'two'].map(
      (id) =>
        `<oai:record><oai:header><oai:identifier>oai:a:${id}</oai:identifier><oai:datestamp>2020-01-01</oai:datestamp></oai:header><oai:metadata>${oaiDc(['title', id])}</oai:metadata></oai:record>`,
    );
    const fields =
      '<oai:protocolVersion>2.0</oai:protocolVersion><oai:adminEmail>a@example.org</oai:adminEmail><oai:earliestDatestamp>2020-01-01</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord><oai:granularity>YYYY-MM-DD</oai:granularity>';
    receiver = await startFileServer((request: IncomingMessage, response) => {
      response.end(
        `<?xml version="1.0" encoding="UTF-8"?><Repository xmlns="${oai}static-repository" xmlns:oai="${oai}"><Identify><oai:repositoryName>Static</oai:repositoryName><oai:baseURL>http://${request.headers.host}/s.xml</oai:baseURL>${fields}</Identify><ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix><oai:schema>${oai}oai_dc.xsd</oai:schema><oai:metadataNamespace>${oai}oai_dc/</oai:metadataNamespace></oai:metadataFormat></ListMetadataFormats><ListRecords metadataPrefix="oai_dc">${records.join('')}</ListRecords></Repository>`,
      );
    });
    collection = await HarvestedCollection.make(app(), { url: `${receiver.url}/s.xml` });
    assert.deepEqual(ended(await collection.run()), { status: 2, failure: undefined, numbers: [2, 0, 0, 0] });
    records.pop();
    assert.deepEqual(ended(await collection.run({ kind: 'full', force: true })).numbers, [0, 0, 1, 1]);
    assert.deepEqual(await collection.ids(), ['oai:a:one']);
  });

  itOnce('says what exists when an address, a format or a set is wrong (E01, E15)', async () => {
    server.change({ sets: ['physics', 'maths'] });
    const { collections } = app().records;
    const add = (fields: object) =>
      collections.add('arxiv', { baseUrl: server.url, format: 'oai_dc', ...fields } as never);
    for (const [fields, message] of [
      [{ format: 'oai_d' }, /no format "oai_d": did you mean "oai_dc"\? It has oai_dc/],
      [{ sets: ['phisics'] }, /no set "phisics": did you mean "physics"\? It has physics, maths/],
      [{ baseUrl: `${started.url}/nothing` }, /the server answers 404: the base URL is probably wrong/],
      [{ baseUrl: 'ftp://a.example.org' }, /the base URL has the scheme ftp:/],
      [{ baseUrl: `${server.url}?verb=Identify` }, /has the argument verb/],
      [{ schedule: '* *' }, /is not a schedule/],
      [{ transform: 'nonsense' }, /is not a transform/],
    ] as const) {
      await assert.rejects(add(fields), { code: 'invalid', message });
    }
    await add({ sets: ['maths'], handle: '2200/1' });
    await assert.rejects(add({}), { code: 'conflict' });
    await assert.rejects(collections.add('other', { baseUrl: server.url, format: 'oai_dc', handle: '2200/1' }), {
      code: 'conflict',
      message: /has the handle/,
    });
    assert.equal((await collections.byHandle('2200/1'))?.id, 'arxiv');
    await collections.remove('arxiv');
    await assert.rejects(collections.get('arxiv'), { code: 'not-found' });
    await add({});
    assert.equal((await collections.get('arxiv')).handle, undefined);
  });
});
