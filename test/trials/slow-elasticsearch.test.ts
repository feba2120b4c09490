import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { NDJSON_BODY } from '../support/ask.ts';
import { useOwnElasticsearch } from '../support/elasticsearch.ts';
import { refusal } from '../support/elasticsearch-refusal.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { SLUG } from '../support/fault-source.ts';

const STREAMS = 4;
const EVENTS_OF_EACH = 40_000;
const LINES_AT_ONCE = 1_000;
/** Milliseconds by which each request that applies a commit is late. */
const LATE_MS = 500;
/** Milliseconds: of each period, such requests are refused for the first part. */
const OVERLOADED = { every: 20_000, first: 8_000 };
/** What docs/operating.md says. */
const MOST_KILOBYTES = 600_000;

describe('A server on an Elasticsearch that is slow, and too busy at times', function () {
  this.timeout(3_600_000);
  const own = useOwnElasticsearch();
  afterEach(closeElasticsearchSources);

  it('takes all events of four streams, each once, with the memory that it needs otherwise (finding 116)', async () => {
    const limits = { pageEntries: 10_000, windowChanges: 50_000 };
    const source = await ElasticsearchSource.make(own.elasticsearch.url, limits);
    const proxy = await source.proxy();
    const bulks = proxy.on(
      ({ path }) => path.startsWith('/_bulk'),
      async (execute) => {
        // Requests that are repeated for minutes would fill the memory of this process.
        proxy.asked.length = 0;
        await wait(LATE_MS);
        return Date.now() % OVERLOADED.every < OVERLOADED.first ? refusal(429) : execute();
      },
    );
    const { process: server, url } = await source.serve({ storeUrl: proxy.url });
    const totals = await Promise.all(Array.from({ length: STREAMS }, (_, stream) => post(url, stream)));
    const all = { complete: true, applied: EVENTS_OF_EACH, unchanged: 0, rejected: 0 };
    for (const { complete, applied, unchanged, rejected } of totals) {
      assert.deepEqual({ complete, applied, unchanged, rejected }, all);
    }
    assert.ok(bulks.met > 0);
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))!;
    console.log(`      ${kilobytes} kB`);
    assert.ok(Number(kilobytes) < MOST_KILOBYTES, `${kilobytes} kB`);
  });
});

/** Posts one stream, as fast as it is read. Returns the totals of its response. */
async function post(url: string, stream: number): Promise<Readonly<Record<string, unknown>>> {
  const posting = request(`${url}/api/sets/${SLUG}/changes`, { method: 'POST', headers: NDJSON_BODY });
  const answered = new Promise<string>((resolve, reject) => {
    posting.on('response', (response) => text(response).then(resolve, reject)).on('error', reject);
  });
  await pipeline(Readable.from(linesOf(stream)), posting);
  return JSON.parse(await answered);
}

function* linesOf(stream: number): Generator<string> {
  for (let from = 0; from < EVENTS_OF_EACH; from += LINES_AT_ONCE) {
    const lines = Array.from({ length: LINES_AT_ONCE }, (_, at) => ({
      location: { value: `stream/${stream}/some/longer/path/${from + at}.pdf`, type: 'rel_path' },
      change: 'created',
      hash: [`md5:${String(from + at).padStart(32, '0')}`],
    }));
    yield lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}
