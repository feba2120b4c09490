import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { isTidemarkError } from '../../src/core/errors.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { openSegments, postedKeys, SHORT, StoredLog } from '../support/log-segments.ts';
import { startProcess } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 1_000, windowChanges: 1_000 };
const WRITER = fileURLToPath(new URL('../support/segment-writer.ts', import.meta.url));
/** Milliseconds: commits are a day old then. */
const DAY_LATER = 25 * 60 * 60 * 1000;

describe('segments of the log on Elasticsearch that a process left', () => {
  const elasticsearch = useElasticsearch();
  let source: ElasticsearchSource;
  let stored: StoredLog;

  beforeEach(async () => {
    source = await ElasticsearchSource.make(elasticsearch.url, LIMITS);
    stored = new StoredLog(source);
  });
  afterEach(closeElasticsearchSources);

  const ask = (method: string, path: string, body?: object) => {
    return askElasticsearch(elasticsearch.url, method, `${source.prefix}-${path}`, body);
  };

  it('when it was killed between creating one and ending the one before are used by the next process', async () => {
    const args = ['60', String(SHORT.commits), String(SHORT.measureAfter)];
    const env = source.environment({ failpoint: 'segment.made:kill' });
    const killed = startProcess(args, { cwd: source.folder, main: WRITER, env });
    assert.equal(await killed.exit(), null, killed.stderr);
    const acknowledged = killed.stdout.match(/\d+(?=\.)/g)!.length;
    assert.deepEqual(await stored.segments(), [1, 2]);
    assert.deepEqual(await stored.commitsIn(2), []);

    const { fill } = await openSegments(source);
    await fill(30);
    await stored.requireWhole();
    assert.ok((await stored.commitsIn(2)).length > 0);
    const keys = await postedKeys(source);
    assert.deepEqual(
      keys,
      Array.from({ length: acknowledged }, (_, at) => `k${at + 1}`),
    );
  });

  for (const step of ['segment.removing', 'segment.removed']) {
    it(`when "archive --drop" was killed (${step}) are removed by the next one`, async () => {
      const writer = await openSegments(source);
      await writer.fill();
      const archive = ['archive', '--drop', '--json'];
      const killed = await source.run(archive, { clockOffset: DAY_LATER, failpoint: `${step}:kill` });
      assert.equal(killed.exitCode, null, killed.stderr);
      const left = await stored.segments();
      assert.equal(left[0], step === 'segment.removing' ? 1 : 2);
      const again = await source.run(archive, { clockOffset: DAY_LATER });
      assert.equal(again.exitCode, 0, again.stderr);
      const { segmentsRemoved } = JSON.parse(again.stdout);
      assert.deepEqual(await stored.segments(), left.slice(segmentsRemoved));
      assert.ok(segmentsRemoved > 0);
      assert.equal(await writer.post('next'), 'applied');
      await stored.requireWhole();
      const { stdout } = await source.run(['status', '--json']);
      const { indices } = JSON.parse(stdout) as { readonly indices: readonly { readonly name: string }[] };
      const numbers = indices.flatMap(({ name }) => /-log-(\d+)$/.exec(name)?.slice(1).map(Number) ?? []);
      assert.deepEqual(numbers, await stored.segments());
    });
  }

  it('before there were segments are the first one, when the store is migrated', async () => {
    const before = await openSegments(source);
    await before.post('a');
    await before.index.watermark();
    await makeSchema6();
    const refused = await source.run(['status']);
    assert.equal(refused.exitCode, 3);
    assert.match(refused.stderr, /have schema 6, this program needs 7: .*"tidemark migrate"/);
    const { stdout } = await source.run(['migrate']);
    assert.match(stdout, /from schema 6 to 7/);
    const after = await openSegments(source);
    await after.fill(60);
    assert.equal(await after.post('a'), 'same-state');
    assert.ok((await stored.segments()).length > 2);
    await stored.requireWhole();
    // Of the program before: it writes to the alias of all segments.
    await assert.rejects(ask('PUT', 'log/_create/9999?require_alias=true', {}), /no write index is defined/);
  });

  it('and lack their alias are refused, with what to do', async () => {
    await ask('DELETE', 'log-000001/_alias/*-open');
    const { exitCode, stderr } = await source.run(['status']);
    assert.equal(exitCode, 3);
    assert.match(stderr, /-log-000001 has no alias as a segment of the log, such as \S+-log-000001-open: add it, or/);
  });

  it('and were replaced stop it', async () => {
    const writer = await openSegments(source);
    await writer.fill(30);
    const { mappings, aliases } = Object.values(await ask('GET', 'log-000001'))[0] as Made;
    await ask('DELETE', 'log-000001');
    await ask('PUT', 'log-000001', { mappings, aliases });
    // A check counts for 250 ms.
    const isRefused = (error: unknown) => isTidemarkError(error, 'unavailable') && /were replaced/.test(error.message);
    await until('commits are refused', () => writer.post('late').then(() => false, isRefused));
  });

  /** What the store was before it had segments. */
  async function makeSchema6(): Promise<void> {
    await ask('DELETE', 'log-000001/_alias/*-open');
    for (const kind of ['log', 'resources', 'changes', 'ledgers', 'catalog', 'jobs']) {
      await ask('PUT', `${kind}/_mapping`, { _meta: { schema_version: 6 } });
    }
    const { _source, _version } = (await ask('GET', 'ledgers/_doc/applied')) as { _source: object; _version: number };
    const { segment: _, ...pointer } = _source as { segment: number };
    await ask('PUT', `ledgers/_doc/applied?version=${_version}&version_type=external_gte`, pointer);
  }
});

interface Made {
  readonly mappings: object;
  readonly aliases: object;
}
