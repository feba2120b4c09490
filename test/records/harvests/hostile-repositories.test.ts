import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ask } from '../../support/ask.ts';
import { SQLITE } from '../../support/each-store.ts';
import { startFileServer } from '../../support/file-server.ts';
import { HARVESTING, HarvestedCollection } from '../../support/harvests.ts';
import type { FaultName } from '../../support/oai-faults.ts';
import { OaiServer, oaiRecords } from '../../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../../support/start-app.ts';
import { useTempFolder } from '../../support/temp-folder.ts';
import { startTlsProxy } from '../../support/tls-proxy.ts';

const WITH_BYTE = /000002\.xml\.gz: the record "oai:example.org:11" .* at byte \d+: /;
/** What ends a run with status 4, and what its failure says. */
const REFUSED: Readonly<Partial<Record<FaultName, RegExp>>> = {
  malformed: WITH_BYTE,
  'not-utf-8': /byte \d+: the byte E4 is not UTF-8/,
  'control-character': WITH_BYTE,
  'u-fffe': WITH_BYTE,
  'xml-declaration': WITH_BYTE,
  'undeclared-prefix': WITH_BYTE,
  doctype: /DOCTYPE/,
  'entity-bomb': /DOCTYPE/,
  'external-entity': /DOCTYPE/,
  html: /DOCTYPE/,
  empty: /it is empty/,
  'other-root': /first element is <rss>/,
  'no-records': /neither records nor a token/,
  'trailing-text': /text data outside of root node/,
  'longer-than-said': /does not end: it has \d+ records already/,
  'shorter-than-said': /ends after 35 records, and was said to have 1000/,
  'bad-argument': /badArgument: said on purpose/,
  'cannot-disseminate-format': /cannotDisseminateFormat: said on purpose/,
  'no-set-hierarchy': /noSetHierarchy: said on purpose/,
  'error-beside-records': /error beside records/,
  429: /answers 429/,
  500: /answers 500/,
  502: /answers 502/,
  503: /answers 503/,
  504: /answers 504/,
  'retry-after-a-day': /answers 503/,
  'cut-off': /closed before all bytes came|ended the connection/,
  'cut-off-silently': /before it is complete/,
  'too-long-a-length': /closed before all bytes came|ended the connection/,
  'too-short-a-length': /before it is complete/,
  'broken-gzip': /not packed with gzip/,
  'redirect-to-host': /redirected to http:\/\/other.example.org\/oai: if that is/,
  'redirect-to-scheme': /redirected to https:/,
  404: /answers 404/,
  403: /answers 403: its owner/,
  'huge-answer': /more than [\d,]+ bytes/,
  'huge-token': /more than 100 kB/,
};

describe('a harvest of a repository that is hostile', () => {
  const folder = useTempFolder();
  let server: OaiServer;
  let started: StartedApp;
  let collection: HarvestedCollection;

  before(async () => {
    server = await OaiServer.start({ records: oaiRecords(35), pageSize: 10 });
    started = await startApp(SQLITE, { ...HARVESTING, harvestResponseSize: 1_000_000 });
    collection = await HarvestedCollection.make(started.app, server);
  });
  after(async () => {
    await closeApps();
    await server.close();
  });

  for (const [name, reason] of Object.entries(REFUSED)) {
    it(`ends with status 4, says where, and changes nothing: ${name}`, async () => {
      const page = name === 'shorter-than-said' ? 4 : name === 'longer-than-said' ? 3 : 2;
      server.change({ fault: { name: name as FaultName, page } });
      const { status, failure = '' } = await collection.run({ kind: 'full' });
      assert.equal(status, 4, failure);
      assert.match(failure, reason);
      assert.equal(await collection.changes(), 0);
    });
  }

  for (const name of ['same-token', 'same-records'] as const) {
    it(`ends a list that does not end: ${name}`, async () => {
      server.change({ fault: { name, page: 2 }, completeListSize: undefined });
      if (name === 'same-records')
        server.change({ records: oaiRecords(35, { identifier: 'oai:a:same' }), fault: undefined });
      const { status, failure = '' } = await collection.run({ kind: 'full' });
      server.change({ records: oaiRecords(35), completeListSize: 'right' });
      assert.equal(status, 4);
      assert.match(failure, /the list does not end/);
    });
  }

  it('is recognized by a test, which says how far it came', async () => {
    server.change({ fault: { name: 'same-token' } });
    const { status, failure = '', lists } = await collection.run({ kind: 'test' });
    assert.deepEqual([status, lists.map(({ pages, records }) => [pages, records])], [4, [[1, 10]]]);
    assert.match(failure, /the list does not end: its token was there before \(page 2/);
  });

  it('keeps the pages of a run that has failed, until the next one begins', async () => {
    server.change({ fault: { name: 'html', page: 3 } });
    const { status, resumable } = await collection.run();
    assert.deepEqual([status, resumable?.pages], [4, 2]);
    const kept = await started.app.records.resumableUploads.status('arxiv', resumable!.id);
    assert.equal(kept.offset, resumable!.offset);
    await collection.run();
    await assert.rejects(started.app.records.resumableUploads.status('arxiv', resumable!.id), { code: 'not-found' });
  });

  it('is refused with a certificate that does not verify, and says what to do', async () => {
    const proxy = await startTlsProxy(server.url, folder.path);
    try {
      server.change({ fault: undefined });
      const { collections } = started.app.records;
      const secure = { baseUrl: `${proxy.url}/oai`, format: 'oai_dc' };
      await assert.rejects(collections.add('secure', secure), {
        code: 'invalid',
        message: /certificate.* NODE_EXTRA_CA_CERTS/s,
      });
    } finally {
      await proxy.close();
    }
  });
});

describe('a harvest of a repository with faults that pass', () => {
  let server: OaiServer;
  let started: StartedApp;
  let collection: HarvestedCollection;

  before(async () => {
    server = await OaiServer.start({ records: oaiRecords(25), pageSize: 10 });
    started = await startApp(SQLITE, HARVESTING);
    collection = await HarvestedCollection.make(started.app, server);
  });
  after(async () => {
    await closeApps();
    await server.close();
  });

  for (const name of [503, 'retry-after', 'cut-off', 'cut-off-silently', 'broken-gzip', 'trailing-comment'] as const) {
    it(`is complete after all: ${name}`, async () => {
      server.change({ fault: { name, ...(name !== 'trailing-comment' && { times: 1 }) } });
      const { status, failure } = await collection.run({ kind: 'full' });
      assert.deepEqual([status, failure], [2, undefined]);
      assert.equal((await collection.ids()).length, 25);
    });
  }

  it('counts what is wrong with a record, and takes the others', async () => {
    for (const [name, errors, warnings] of [
      ['future-datestamp', 0, 1],
      ['no-datestamp', 1, 0],
      ['repeated-identifier', 0, 1],
      ['deleted-with-metadata', 0, 1],
    ] as const) {
      server.change({ fault: { name, page: 1 } });
      const { status, outcome } = await collection.run({ kind: 'full', force: true });
      assert.deepEqual([name, status, outcome?.errors, outcome?.warnings], [name, 3, errors, warnings]);
    }
    server.change({ fault: undefined });
  });

  it('lists malformed records, and takes the others, when it may skip them', async () => {
    server.change({ fault: undefined });
    await collection.run({ kind: 'full' });
    await started.app.records.collections.change('arxiv', { malformed: 'skip' });
    for (const name of [
      ...(['malformed', 'not-utf-8', 'control-character', 'u-fffe', 'xml-declaration'] as const),
      ...(['undeclared-prefix', 'huge-record'] as const),
    ]) {
      server.change({ fault: { name } });
      const { status, outcome } = await collection.run({ kind: 'full' });
      assert.deepEqual([name, status, outcome?.records, outcome?.errors], [name, 3, 24, 1]);
      assert.equal((await collection.ids()).length, 25);
    }
    for (const [name, page] of [
      ['shorter-than-said', 3],
      ['trailing-text', 2],
      ['cut-off-silently', 2],
    ] as const) {
      server.change({ fault: { name, page } });
      assert.equal((await collection.run({ kind: 'full' })).status, 4, name);
    }
    server.change({ fault: undefined });
  });

  it('refuses sets when it has none (E15)', async () => {
    server.change({ fault: undefined });
    await assert.rejects(
      started.app.records.collections.change('arxiv', { sets: ['a'] }),
      /has no sets: leave them out/,
    );
  });

  it('refuses a list of sets that does not end', async () => {
    let tokens = 0;
    const endless = await startFileServer(async ({ url = '' }: IncomingMessage, response: ServerResponse) => {
      const { text } = await ask(server.url + url.slice(url.indexOf('?')));
      const page = `<ListSets><resumptionToken>t${++tokens}</resumptionToken></ListSets>`;
      response.end(text.replace(/<error code="noSetHierarchy">.*<\/error>/, page));
    });
    try {
      const added = started.app.records.collections.add('endless', { baseUrl: endless.url, format: 'oai_dc' });
      await assert.rejects(added, { code: 'invalid', message: /its list of sets does not end/ });
    } finally {
      await endless.close();
    }
  });

  it('refuses a million sets, and keeps the first ten thousand of others', async () => {
    server.change({ sets: 1_000_000 });
    const { collections } = started.app.records;
    await assert.rejects(collections.refresh('arxiv'), { code: 'invalid', message: /100,000 sets or more/ });
    server.change({ sets: 20_000 });
    assert.equal((await collections.refresh('arxiv')).repository.sets?.length, 10_000);
  });
});
