import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from '../support/ask.ts';
import { useElasticsearch, useOwnElasticsearch } from '../support/elasticsearch.ts';
import { refuse } from '../support/elasticsearch-refusal.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import {
  readLog,
  requireAcknowledged,
  requireAlternating,
  requireConsistent,
  requireEachOnce,
} from '../support/fault-checks.ts';
import { PatientRequests } from '../support/fault-clients.ts';
import { cutAnswer, cutInTheMiddle, cutRequest, type Fault } from '../support/fault-proxy.ts';
import { SET_URL, type ServingProcess, SLUG } from '../support/fault-source.ts';
import { SetReader } from '../support/set-reader.ts';
import { until } from '../support/until.ts';

/** Milliseconds of posting before and after an outage. */
const AROUND = 500;

/** What cannot be read when a full disk makes one of these indices read-only: no commit is applied then. */
const READ = ['resources', 'changes', 'ledgers'] as const;

const FAULTS: readonly Fault[] = [cutAnswer, cutRequest, cutInTheMiddle, refuse(429), refuse(503)];
/** One request of so many meets a fault. */
const ONE_IN = 20;
const MOST_FAULTS = 30;

describe('an Elasticsearch that is shared', function () {
  this.timeout(180_000);
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('may cut, drop and refuse requests of every kind: nothing is lost or doubled', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const proxy = await source.proxy();
    const servers = await Promise.all([source.serve({ storeUrl: proxy.url }), source.serve()]);
    let asked = 0;
    const faults = proxy.on(
      () => ++asked % ONE_IN === 0,
      (...met) => FAULTS[(asked / ONE_IN) % FAULTS.length]!(...met),
    );
    const clients = [1, 2, 3].map((number) => new PatientRequests(number));
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at % 2]!.url, stop.signal)));
    await until('many requests have met a fault', async () => faults.met > MOST_FAULTS && clients.every(isBusy));
    stop.abort();
    await posting;
    faults.remove();
    await requireNothingLost(source, { clients, servers });
  });

  it(`may make the log and then ${READ.join(', ')} read-only: posting or reading is 503, and goes on by itself afterwards`, async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const servers = await Promise.all([source.serve(), source.serve()]);
    const clients = [1, 2].map((number) => new PatientRequests(number));
    const lists = servers.map(({ url }) => `${url}/sets/${SLUG}/resourcelist.xml`);
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at]!.url, stop.signal)));
    await wait(AROUND);
    await block(source, 'log', true);
    await until('it is told to who posts', async () => clients.every(({ refused }) => refused > 0));
    await block(source, 'log', null);
    for (const index of READ) {
      const before = clients.map(answers);
      await until('they post', async () => clients.every((client, at) => answers(client) > before[at]!));
      await block(source, index, true);
      await until('it is told to who reads', () => areRefused(lists));
      await block(source, index, null);
      await until('it is ready by itself', async () => {
        const answers = await Promise.all(lists.map((list) => ask(list)));
        return answers.every(({ status }) => status === 200);
      });
    }
    stop.abort();
    await posting;
    await requireNothingLost(source, { clients, servers });
  });

  it('may make the catalog read-only: who adds a set is told, and posting goes on', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const server = await source.serve();
    const client = new PatientRequests(1);
    await block(source, 'catalog', true);
    const add = () => source.run(['sets', 'add', 'more', '--url-prefix', 'http://example.org/']);
    const { exitCode, stderr } = await add();
    assert.equal(exitCode, 3, stderr);
    assert.match(stderr, /^tidemark: .*has blocked an index .*catalog.*is its disk full/);
    const stop = new AbortController();
    const posting = client.post(server.url, stop.signal);
    await until('it is posted to', async () => isBusy(client));
    stop.abort();
    await posting;
    assert.equal(client.refused, 0);
    await block(source, 'catalog', null);
    assert.equal((await add()).exitCode, 0);
    await requireNothingLost(source, { clients: [client], servers: [server] });
  });
});

describe('an Elasticsearch that goes away', function () {
  this.timeout(180_000);
  const own = useOwnElasticsearch();
  afterEach(closeElasticsearchSources);

  it('while it is posted to has lost nothing, and is served again at once', async () => {
    const { elasticsearch } = own;
    const outages = {
      'it was stopped and started': () => elasticsearch.restart(),
      async 'it was killed and started'() {
        await elasticsearch.kill();
        await elasticsearch.start();
      },
      async 'it did not answer for some seconds'() {
        elasticsearch.pause();
        await wait(3_000);
        elasticsearch.resume();
      },
    };
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const servers = await Promise.all([source.serve(), source.serve()]);
    const clients = [1, 2].map((number) => new PatientRequests(number));
    const stop = new AbortController();
    const posting = Promise.all(clients.map((client, at) => client.post(servers[at]!.url, stop.signal)));
    for (const [what, outage] of Object.entries(outages)) {
      await wait(AROUND);
      await outage();
      const before = clients.map(answers);
      const goOn = async () => clients.every((client, at) => answers(client) > before[at]! + 5);
      await until(`everybody goes on after ${what}`, goOn);
    }
    stop.abort();
    await posting;
    await requireNothingLost(source, { clients, servers });
  });
});

/** Whether all lists are refused with what is wrong. */
async function areRefused(lists: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(lists.map((list) => ask(list)));
  for (const { status, headers, text } of answers) {
    if (status === 200) return false;
    assert.equal(status, 503);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.match(text, /has blocked an index .*is its disk full|did not take a document.*block/);
  }
  return true;
}

interface Posted {
  readonly clients: readonly PatientRequests[];
  readonly servers: readonly ServingProcess[];
}

async function requireNothingLost(source: ElasticsearchSource, { clients, servers }: Posted): Promise<void> {
  const app = await source.open();
  const log = await readLog(app);
  requireAlternating(log);
  for (const client of clients) requireAcknowledged(log, client);
  for (const { url } of servers) await requireConsistent(app, new SetReader(SET_URL, url));
  for (const client of clients) await client.repost(servers[0]!.url);
  requireEachOnce(await readLog(app), clients);
  assert.ok(clients.every(isBusy));
}

async function block({ url, prefix }: ElasticsearchSource, index: string, readOnly: true | null): Promise<void> {
  const { status } = await ask(`${url}/${prefix}-${index}/_settings`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ 'index.blocks.read_only_allow_delete': readOnly }),
  });
  assert.equal(status, 200);
}

function isBusy(client: PatientRequests): boolean {
  return answers(client) > 5;
}

function answers({ sent }: PatientRequests): number {
  return sent.filter(({ answer }) => answer !== undefined).length;
}
