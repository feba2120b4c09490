import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import pino from 'pino';
import { type RunningJobs, runJobs } from '../../../src/cli/serving/run-jobs.ts';
import { ask } from '../../support/ask.ts';
import { SQLITE } from '../../support/each-store.ts';
import { type FileServer, startFileServer } from '../../support/file-server.ts';
import { HARVESTING } from '../../support/harvests.ts';
import { OaiServer, oaiRecords } from '../../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../../support/start-app.ts';
import { until } from '../../support/until.ts';

const TEN = Array.from({ length: 10 }, (_, at) => `c${at}`);

describe('Ten collections', () => {
  let server: OaiServer;
  let gate: FileServer;
  let started: StartedApp;
  let jobs: RunningJobs | undefined;
  /** Lists that have been requested, and are answered when there are ten of them. */
  const waiting: (() => void)[] = [];

  before(async () => {
    server = await OaiServer.start({ records: oaiRecords(5) });
    gate = await startFileServer(async ({ url = '' }: IncomingMessage, response: ServerResponse) => {
      const { status, text } = await ask(server.url + url.slice(url.indexOf('?')));
      const answer = () => response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
      if (!url.includes('ListRecords')) return void answer();
      waiting.push(answer);
      if (waiting.length === TEN.length) for (const each of waiting) each();
    });
    started = await startApp(SQLITE, { ...HARVESTING, concurrency: 10 });
  });
  after(async () => {
    await jobs?.stop();
    await closeApps();
    await gate.close();
    await server.close();
  });

  it('are harvested at the same time by one process, each with its own records', async () => {
    const { collections, harvestRuns } = started.app.records;
    for (const id of TEN) {
      await collections.add(id, { baseUrl: `${gate.url}/oai`, format: 'oai_dc', provider: 'all' });
      await harvestRuns.queue(id, { kind: 'full' }, { by: 'request' });
    }
    jobs = runJobs(started.app, pino({ level: 'silent' }));
    const received = await until('all are received', async () => {
      const runs = await Promise.all(TEN.map((collection) => harvestRuns.get({ collection, number: 1 })));
      return runs.every(({ state }) => state === 'received' || state === 'ended') && runs;
    });
    assert.deepEqual(
      received.map(({ upload, lists: [list] }) => [upload, list!.records]),
      TEN.map(() => [1, 5]),
    );
  });
});
