import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../src/artifacts/artifact-store.ts';
import type { DerivedRecord } from '../../src/artifacts/avro/avro-schemas.ts';
import { encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import type { AvroKey } from '../../src/artifacts/keys/avro-key.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { writeProvenance } from '../../src/artifacts/provenance.ts';
import type { IndexingOutcome } from '../../src/records/activities/index-artifact/index-artifact.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch, removeIndices, uniquePrefix } from '../support/elasticsearch-indices.ts';
import { type Answered, type Asked, FaultProxy } from '../support/fault-proxy.ts';
import { killTidemarks, runTidemark, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const SCHEMA = 'MAP.3_1.IndexRecord.v1';
const isBulk = ({ path }: Asked) => path.includes('/_bulk');

describe('tidemark artifacts index', () => {
  const server = useElasticsearch();
  const folder = useTempFolder();
  let store: ArtifactStore;
  let alias: string;
  let proxy: FaultProxy;

  beforeEach(async () => {
    store = openArtifacts({ kind: 'folder', folder: folder.at('data/artifacts') });
    alias = uniquePrefix();
    proxy = await FaultProxy.start(server.url);
  });

  afterEach(async () => {
    await killTidemarks();
    await proxy.close();
    await store.close();
    await removeIndices(server.url, alias);
  });

  it('writes the documents as they are, and has the alias name the newest index of each provider', async () => {
    const long = `http://example.org/${'x'.repeat(600)}`;
    const records = [
      { id: 'a', document: '{"title":"A map","n":9007199254740993}' },
      { id: 'b/ž', document: '{\n  "title": "A \\n map"\r\n}' },
      { id: long, document: '{"id":"long"}' },
    ];
    const first = await write({}, records);
    await write({ provider: 'mdl' }, [{ id: 'm', document: '{}' }]);
    const mdl = await index(`mdl/indexing/20170209/20170209_104428-mdl-${SCHEMA}.avro`);

    const { outcome, exitCode, stderr } = await index(first);

    const name = `${alias}-cdl-20170209_104428`;
    assert.deepEqual([exitCode, mdl.exitCode], [0, 0], stderr);
    assert.deepEqual(outcome, {
      ...{ artifact: first, alias, index: name, records: 3, longIds: 1, refused: { total: 0, first: [] } },
      ...{ known: false, former: [], documents: 3, switched: true },
    });
    assert.deepEqual(await indicesOf(alias), [name, `${alias}-mdl-20170209_104428`]);
    const digest = createHash('sha256').update(long).digest('hex');
    const raw = await (await fetch(`${server.url}/${name}/_source/a`)).text();
    assert.equal(raw, records[0]!.document);
    assert.equal(
      await (await fetch(`${server.url}/${name}/_source/${encodeURIComponent('b/ž')}`))
        .json()
        .then((one) => (one as { title: string }).title),
      'A \n map',
    );
    assert.equal((await fetch(`${server.url}/${name}/_source/sha-256:${digest}`)).status, 200);

    const later = await write({ start: new Date('2017-03-09T10:44:28Z') }, [{ id: 'c', document: '{}' }]);
    const second = await index(later);
    assert.deepEqual(second.outcome.former, [name]);
    assert.deepEqual(await indicesOf(alias), [`${alias}-cdl-20170309_104428`, `${alias}-mdl-20170209_104428`]);
    const again = await index(later);
    assert.deepEqual([again.exitCode, again.outcome.known], [0, true]);
    const older = await index(first);
    assert.equal(older.exitCode, 2);
    assert.match(older.stderr, /has \S+-cdl-20170309_104428 already, which is of a newer artifact/);
  });

  it('refuses an artifact of another schema, and an alias that is an index or holds what others wrote', async () => {
    const key = await write({}, [{ id: 'a', document: '{}' }]);
    const other = await write({ schema: 'MAP.4_0.IndexRecord.v1', provider: 'mdl' }, []);
    const mapped = await write({ schema: 'MAP.4_0.MAPRecord.v1', activity: 'mapping' }, []);
    await askElasticsearch(server.url, 'PUT', `${alias}-index`);
    await askElasticsearch(server.url, 'PUT', `${alias}-taken-cdl-20170209_104428`);

    for (const [args, said] of [
      [[mapped], /holds la\.dp\.avro\.MAP\.4_0\.MAPRecord\.v1, and an index takes MAP\.3_1\.IndexRecord\.v1 or/],
      [
        [other, '--as', SCHEMA],
        /holds la\.dp\.avro\.MAP\.4_0\.IndexRecord\.v1, and la\.dp\.avro\.MAP\.3_1\.IndexRecord\.v1 was/,
      ],
      [[key, '--into', `${server.url}/${alias}-index`], /-index is an index, and no alias, and is not overwritten/],
      [[key, '--into', `${server.url}/${alias}-taken`], /exists, and was not made of cdl\/indexing/],
      [[key, '--into', `${server.url}/a,b`], /"a,b" is not a valid alias name/],
      [[key, '--into', server.url], /--into names no index: use http:\/\/HOST:PORT\/INDEX\n/],
      [[key, '--into', 'http://user:secret@localhost/a'], /contains a password, .+ use TIDEMARK_INTO/],
      [['cdl/nothing'], /is not the key of an Avro file/],
    ] as const) {
      const { exitCode, stderr, stdout } = await run(args);
      assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '));
      assert.match(stderr, said);
    }
    assert.deepEqual(await indicesOf(alias), []);
    const missing = await runTidemark(['artifacts', 'index', key], { cwd: folder.path });
    assert.match(missing.stderr, /which index\? Name it by --into URL\/INDEX, or set TIDEMARK_INTO/);
  });

  it('refuses an alias that names an index which it has not made, of a store among others', async () => {
    const key = await write({}, [{ id: 'a', document: '{}' }]);
    const env = { TIDEMARK_STORE: server.url, TIDEMARK_INDEX_PREFIX: alias };
    const added = await runTidemark(['sets', 'add', 'maps', '--url-prefix', 'http://example.org/'], {
      cwd: folder.path,
      env,
    });
    assert.equal(added.exitCode, 0, added.stderr);
    await askElasticsearch(server.url, 'PUT', `${alias}-others`);
    await askElasticsearch(server.url, 'PUT', `${alias}-others/_alias/${alias}-shared`);
    const before = await askElasticsearch(server.url, 'GET', `${alias}*/_alias`);

    for (const part of ['', '-log', '-changes', '-resources', '-ledgers', '-catalog', '-jobs', '-shared']) {
      const { exitCode, stdout, stderr } = await run([key, '--into', `${server.url}/${alias}${part}`]);
      assert.deepEqual([exitCode, stdout], [2, ''], part);
      assert.match(stderr, /the alias \S+ names \S+, which "tidemark artifacts index" has not made/);
    }
    assert.deepEqual(await askElasticsearch(server.url, 'GET', `${alias}*/_alias`), before);
  });

  it('leaves the alias as it is when documents are refused, and names them', async () => {
    const records = [
      { id: 'a', document: '{"date":{"begin":"1899"}}' },
      { id: 'b', document: '{"date":"1899"}' },
      { id: 'c', document: 'not json' },
    ];
    const key = await write({}, records);

    const { exitCode, outcome } = await index(key);

    assert.equal(exitCode, 1);
    assert.deepEqual([outcome.documents, outcome.switched, outcome.refused.total], [1, false, 2]);
    const reasons = outcome.refused.first.map(({ id, reason }) => `${id} ${reason}`).sort();
    assert.match(reasons[0]!, /^b document_parsing_exception: .*date/);
    assert.equal(reasons[1], 'c its document is not a JSON object');
    assert.deepEqual(await indicesOf(alias), []);
  });

  it('asks again when the server is too busy, away or permits smaller requests only', async () => {
    const key = await write({}, recordsOf(300));
    const answers: (Answered | { readonly cutAfter: number })[] = [
      { status: 413, headers: {}, body: Buffer.from('too large') },
      { status: 429, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"error":"busy"}') },
      { cutAfter: 0 },
    ];
    const rule = proxy.on(isBulk, async (execute) => answers.shift() ?? busyItem(await execute(), rule.met));

    const { exitCode, outcome, stderr } = await index(key, proxy.url);

    assert.equal(exitCode, 0, stderr);
    assert.deepEqual([outcome.documents, outcome.refused.total, outcome.switched], [300, 0, true]);
    // Too large, its first half too busy, and then cut off, and one document of the rest too busy.
    assert.ok(rule.met >= 6, `${rule.met} requests`);
  });

  it('bounds requests by their bytes and documents', async () => {
    const big = Array.from({ length: 5 }, (_, number) => ({
      id: `big${number}`,
      document: `{"t":"${'x'.repeat(2_000_000)}"}`,
    }));
    const key = await write({}, [...recordsOf(2_500), ...big]);

    const { outcome } = await index(key, proxy.url);

    assert.equal(outcome.documents, 2_505);
    const bodies = proxy.asked.filter(isBulk).map(({ body }) => body);
    assert.ok(bodies.every((body) => body.length <= 5 * 1024 ** 2 && body.split('\n').length <= 2_001));
    assert.ok(bodies.length >= 5);
  });

  it('writes below the path of a proxy', async () => {
    await proxy.close();
    proxy = await FaultProxy.start(server.url, '/es');
    const key = await write({}, recordsOf(2));

    const { exitCode, outcome, stderr } = await index(key, proxy.url);

    assert.equal(exitCode, 0, stderr);
    assert.deepEqual([outcome.documents, outcome.switched], [2, true]);
    assert.deepEqual(await indicesOf(alias), [`${alias}-cdl-20170209_104428`]);
  });

  it('goes on with what a killed run has left, which no alias names', async () => {
    const key = await write({}, recordsOf(3_500));
    // The third request never comes back: the index has a part of the documents by then.
    const rule = proxy.on(
      (asked) => isBulk(asked) && proxy.asked.filter(isBulk).length > 2,
      async () => 'silence',
    );
    const killed = startProcess(['artifacts', 'index', key, '--into', `${proxy.url}/${alias}`], { cwd: folder.path });
    while (rule.met === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await killed.kill();
    assert.deepEqual(await indicesOf(alias), []);

    const { exitCode, outcome } = await index(key);

    assert.deepEqual([exitCode, outcome.documents, outcome.switched, outcome.known], [0, 3_500, true, false]);
    assert.deepEqual(await indicesOf(alias), [`${alias}-cdl-20170209_104428`]);
  });

  async function write(name: Partial<Omit<AvroKey, 'kind'>>, records: readonly DerivedRecord[]): Promise<ObjectKey> {
    const start = new Date('2017-02-09T10:44:28Z');
    const full = { kind: 'avro', provider: 'cdl', activity: 'indexing', start, schema: SCHEMA, ...name } as const;
    const key = formatKey(full);
    async function* batches() {
      yield records;
    }
    await store.put(key, encodeContainer({ schema: full.schema as typeof SCHEMA, records: batches() }));
    await writeProvenance(store, key, { generator: 'test', version: 'test' });
    return key;
  }

  function run(args: readonly string[]) {
    const into = args.includes('--into') ? [] : ['--into', `${server.url}/${alias}`];
    return runTidemark(['artifacts', 'index', ...args, ...into], { cwd: folder.path });
  }

  async function index(key: string, url = server.url) {
    const { exitCode, stdout, stderr } = await run([key, '--into', `${url}/${alias}`, '--json']);
    return { exitCode, stderr, outcome: JSON.parse(stdout || '{}') as IndexingOutcome };
  }

  async function indicesOf(name: string): Promise<readonly string[]> {
    const response = await fetch(`${server.url}/_alias/${name}`);
    return response.ok ? Object.keys((await response.json()) as object).sort() : [];
  }
});

function recordsOf(count: number): readonly DerivedRecord[] {
  return Array.from({ length: count }, (_, number) => ({ id: `r${number}`, document: `{"n":${number}}` }));
}

/** What a server answers that had no room for the first document, once. */
function busyItem(answer: Answered, met: number): Answered {
  if (met !== 5) return answer;
  const body = JSON.parse(answer.body.toString());
  body.items[0].index = { status: 429, error: { type: 'es_rejected_execution_exception', reason: 'busy' } };
  const bytes = Buffer.from(JSON.stringify(body));
  return { ...answer, headers: { ...answer.headers, 'content-length': String(bytes.length) }, body: bytes };
}
