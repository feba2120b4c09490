import assert from 'node:assert/strict';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { PatientRequests, untilServed } from '../support/fault-clients.ts';
import { type Asked, saySilence } from '../support/fault-proxy.ts';
import { SLUG } from '../support/fault-source.ts';
import { requireNothingLost } from '../support/nothing-lost.ts';
import { TimedReader } from '../support/timed-reader.ts';
import { until } from '../support/until.ts';

/** Milliseconds: the node is found to hang within five seconds; more than that is a busy machine. */
const MOST_MS = 15_000;
const isProbe = ({ method }: Asked) => method === 'HEAD';

describe('an Elasticsearch of which one node hangs', function () {
  this.timeout(120_000);
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('is used by its other node within seconds, and by that node when it answers again', async () => {
    const source = await ElasticsearchSource.makeWithPages(elasticsearch.url);
    const node = await source.proxy();
    const server = await source.serve({ storeUrl: `${node.url},${elasticsearch.url}` });
    const client = new PatientRequests(1);
    const reader = new TimedReader(`${server.url}/sets/${SLUG}/resourcelist.xml`, MOST_MS);
    const stop = new AbortController();
    const working = Promise.all([client.post(server.url, stop.signal), reader.readUntil(stop.signal)]);
    await untilServed('it is posted to', [client], working);
    const beforeHang = node.asked.length;
    const hang = node.on(() => true, saySilence);
    await until('a request hangs', async () => hang.met > 0);
    const began = performance.now();
    for (const round of [1, 2, 3]) await untilServed(`it is posted to, round ${round}`, [client], working);
    const tookMs = performance.now() - began;
    assert.ok(tookMs < MOST_MS, `posting went on after ${tookMs} ms`);
    // What was silenced gets no answer later, either, so that must have ended before.
    const probes = () => node.asked.slice(beforeHang).filter(isProbe).length;
    await until('requests to it have ended', async () => probes() >= 4);
    hang.remove();
    const before = node.asked.length;
    const isUsed = async () => node.asked.slice(before).filter((asked) => !isProbe(asked)).length > 5;
    await until('the node is used again', isUsed);
    stop.abort();
    await working;
    assert.deepEqual(reader.complaints, []);
    await requireNothingLost(source, { clients: [client], servers: [server] });
  });
});
