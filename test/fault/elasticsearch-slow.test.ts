import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { ask, NDJSON_BODY } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import type { Asked } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };
/** A ninth commit waits until one is applied. */
const MOST_PENDING = 8;
/** More than a reader waits for a commit to be applied. */
const LONG_MS = 11_000;
/** Milliseconds in which a caller that waits checks the clock again. */
const POLL_MS = 500;
/** Requests that apply a small commit: its changes, and its ledgers. */
const BULKS = 2;

/** More events than a server reads ahead: 25,000 that wait to be applied, a commit, and those that wait for it. */
const MOST_EVENTS = 100_000;
/** Milliseconds after which a stream counts as not read any more: a commit takes less. */
const STALLED_MS = 3_000;
/** What docs/operating.md says. */
const MOST_KILOBYTES = 600_000;

const isBulk = ({ path }: Asked) => path.startsWith('/_bulk');

describe('An Elasticsearch that is slow to apply commits', () => {
  const trueNow = Date.now;
  const elasticsearch = useElasticsearch();
  afterEach(async () => {
    Date.now = trueNow;
    await closeElasticsearchSources();
  });

  /** Holds bulk requests until they may be executed. */
  async function makeSlow() {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    const proxy = await source.proxy();
    const gate = Promise.withResolvers<void>();
    const held = proxy.on(isBulk, (execute) => gate.promise.then(execute));
    return { source, proxy, held, release: gate.resolve };
  }

  it('slows down a stream of posts, and ends only the requests that a person waits for', async () => {
    const { source, proxy, release } = await makeSlow();
    const { url } = await source.serveHere(proxy.url);
    const posting = request(`${url}/api/sets/${SLUG}/changes?results=all`, { method: 'POST', headers: NDJSON_BODY });
    const lines: string[] = [];
    const send = (at: number) =>
      posting.write(
        `${JSON.stringify({ location: { value: `k${at}`, type: 'rel_path' }, change: 'created', length: at })}\n`,
      );
    send(0);
    const [response] = (await once(posting, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    const reading = createInterface(response).on('line', (line) => lines.push(line));
    const ended = once(reading, 'close');
    for (let at = 1; at <= MOST_PENDING; at++) {
      await until('the event before is committed', async () => lines.length === at);
      send(at);
    }
    posting.end();
    const read = ask(`${url}/api/sets/${SLUG}/resources`);
    await wait(POLL_MS);
    Date.now = () => trueNow() + LONG_MS;
    assert.equal((await read).status, 503);
    assert.equal(lines.length, MOST_PENDING);
    release();
    await ended;
    assert.equal(lines.length, MOST_PENDING + 2);
    const { complete, applied } = JSON.parse(lines.at(-1)!);
    assert.deepEqual({ complete, applied }, { complete: true, applied: MOST_PENDING + 1 });
    Date.now = trueNow;
    assert.equal((await ask(`${url}/api/sets/${SLUG}/resources`)).status, 200);
  });

  it('takes no more memory of a server that receives a stream of posts', async () => {
    const { source, proxy, release } = await makeSlow();
    const { process: server, url } = await source.serve({ storeUrl: proxy.url });
    const posting = request(`${url}/api/sets/${SLUG}/changes`, { method: 'POST', headers: NDJSON_BODY });
    posting.on('error', () => {});
    let sent = 0;
    for (let isRead = true; isRead && sent < MOST_EVENTS; sent += 1_000) {
      const lines = Array.from({ length: 1_000 }, (_, at) => ({
        location: { value: `some/longer/path/${sent + at}.pdf`, type: 'rel_path' },
        change: 'created',
        hash: [`md5:${String(sent + at).padStart(32, '0')}`],
      }));
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (posting.write(text)) continue;
      isRead = await once(posting, 'drain', { signal: AbortSignal.timeout(STALLED_MS) }).then(
        () => true,
        () => false,
      );
    }
    assert.ok(sent < MOST_EVENTS, 'the stream is not read any further');
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))!;
    assert.ok(Number(kilobytes) < MOST_KILOBYTES, `${kilobytes} kB`);
    posting.destroy();
    release();
  });

  it('is waited for by commands, which say so', async () => {
    const { source, proxy, held, release } = await makeSlow();
    const { index, sets } = await source.open(proxy.url);
    const { id } = await sets.bySlug(SLUG);
    await index.commit([upsert(id, 'a')]);
    const running = source.run(['resources', 'list', SLUG], { storeUrl: proxy.url });
    await until('the command applies the commit, too', async () => held.met === 2 * BULKS);
    Date.now = () => trueNow() + LONG_MS;
    await wait(POLL_MS);
    release();
    const { exitCode, stdout, stderr } = await running;
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\ba\b/);
    assert.match(stderr, /Waits for Elasticsearch at .*, which is slow: commit \d+ is being applied/);
  });
});
