import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../src/artifacts/artifact-store.ts';
import { type RecordOf, type SchemaId, schemaText } from '../../src/artifacts/avro/avro-schemas.ts';
import { encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import type { FoundArtifact } from '../../src/artifacts/find-artifacts.ts';
import { putJson } from '../../src/artifacts/json-object.ts';
import type { Activity } from '../../src/artifacts/keys/activity.ts';
import { writeProvenance } from '../../src/artifacts/provenance.ts';
import { parseTimestamp } from '../../src/artifacts/timestamp.ts';
import { rawBlock, rawFile, text } from '../support/avro-files.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { killTidemarks, runProcess, runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const VERSION = '0.1.0+0123456789ab';

describeOnEachArtifactStore('tidemark artifacts', (place) => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
  });
  afterEach(async () => {
    await store.close();
    await killTidemarks();
  });

  const run = (...args: string[]) =>
    runTidemark(['artifacts', ...args, '--artifacts', place.text], { cwd: folder.path, env: place.environment });

  interface Written {
    readonly schema: Exclude<SchemaId, `log.${string}`>;
    readonly records?: readonly RecordOf['OriginalRecord.v1'][];
    readonly generator?: string | undefined;
  }

  async function write(
    activity: Activity,
    [provider, timestamp]: readonly [string, string],
    { schema, records = [], generator = 'https://example.org/oai' }: Written = { schema: 'OriginalRecord.v1' },
  ): Promise<ObjectKey> {
    const key = formatKey({ kind: 'avro', provider, activity, start: parseTimestamp(timestamp)!, schema });
    async function* batches() {
      yield records;
    }
    await store.put(key, encodeContainer({ schema, records: batches(), doc: `made by ${VERSION}` }));
    await writeProvenance(store, key, { generator, version: VERSION });
    return key;
  }

  const record = (id: string, document = `<r>${id}</r>`) => ({
    ...{ id, provider: 'cdl', document },
    mimetype: 'application/xml' as const,
  });

  it('says that there is none', async () => {
    const { exitCode, stdout, stderr } = await run('list');
    assert.deepEqual({ exitCode, stdout, stderr }, { exitCode: 0, stdout: '', stderr: 'There is no such artifact.\n' });
  });

  it('A37: prints the newest of an activity as a plain list of paths, or of keys, or as JSON', async () => {
    const cdl = await write('harvest', ['cdl', '20170209_104428']);
    const mdl = await write('harvest', ['mdl', '20160101_000000']);

    const { stdout, stderr, exitCode } = await run('latest', '--activity', 'harvest');
    assert.deepEqual([exitCode, stderr], [0, '']);
    assert.equal(stdout, `${store.pathOf(cdl)}\n${store.pathOf(mdl)}\n`);
    assert.match(stdout, /^(?:s3a:\/\/tidemark-|file:\/\/\/)\S+\/cdl\/harvest\//);
    assert.equal((await run('latest', '--activity', 'harvest', '--keys')).stdout, `${cdl}\n${mdl}\n`);
    assert.equal((await run('latest', '--activity', 'harvest', '--provider', 'mdl', '--keys')).stdout, `${mdl}\n`);
    const [first] = (await run('latest', '--activity', 'harvest', '--json')).stdout.split('\n');
    const { length, ...view } = JSON.parse(first!) as FoundArtifact & { readonly path: string };
    assert.deepEqual(view, {
      ...{ key: cdl, path: store.pathOf(cdl), provider: 'cdl', activity: 'harvest', schema: 'OriginalRecord.v1' },
      start: '2017-02-09T10:44:28.000Z',
    });
    assert.equal(length, (await store.head(cdl))?.length);
  });

  it('A38: prints what was the newest at a time', async () => {
    const first = await write('harvest', ['cdl', '20170105_100000']);
    const second = await write('harvest', ['cdl', '20170209_104428']);
    const at = async (time: string) => (await run('at', time, '--activity', 'harvest', '--keys')).stdout.trim();

    assert.equal(await at('20170209_104427'), first);
    assert.equal(await at('2017-02-09T10:44:28Z'), second);
    assert.equal(await at('2017-02-09'), second);
    assert.equal(await at('2017-02-08'), first);
  });

  it('A41: says that there is none before the first file, prints nothing, and exits with 1', async () => {
    await write('harvest', ['cdl', '20170209_104428']);
    for (const args of [
      ['at', '20170209_104427', '--activity', 'harvest', '--provider', 'cdl'],
      ['at', '2017-02-08', '--activity', 'harvest'],
      ['latest', '--activity', 'mapping'],
      ['latest', '--activity', 'harvest', '--provider', 'mdl'],
    ]) {
      const { stdout, stderr, exitCode } = await run(...args);
      assert.deepEqual([exitCode, stdout], [1, ''], args.join(' '));
      assert.match(stderr, /^tidemark: there is no (?:harvest|mapping)(?: of [cm]dl)?.* in the artifact store /);
    }
    const { stdout, stderr } = await run('latest', '--activity', 'mapping', '--json');
    assert.equal(stdout, '');
    assert.equal(JSON.parse(stderr).error.code, 'not-found');
  });

  it('lists every complete file, or those that are asked for', async () => {
    const harvest = await write('harvest', ['cdl', '20170209_104428']);
    const mapping = await write('mapping', ['cdl', '20170209_104428'], { schema: 'MAP.4_0.MAPRecord.v1' });
    await store.put(harvest.replaceAll('104428', '104429'), [Buffer.from('torn')]);

    assert.equal((await run('list', '--keys')).stdout, `${harvest}\n${mapping}\n`);
    assert.equal((await run('list', '--activity', 'mapping')).stdout, `${store.pathOf(mapping)}\n`);
    assert.equal((await run('list', '--schema', 'DeletedRecord.v1')).stdout, '');
  });

  it('lists deleted records only when they are asked for, so that a list is of records of one kind', async () => {
    const harvest = await write('harvest', ['cdl', '20170209_104428']);
    const deleted = await write('harvest', ['cdl', '20170209_104428'], { schema: 'DeletedRecord.v1' });

    for (const [args, keys] of [
      [[], [harvest]],
      [['--activity', 'harvest'], [harvest]],
      [['--schema', 'DeletedRecord.v1'], [deleted]],
      [['--schema', 'la.dp.avro.OriginalRecord.v1'], [harvest]],
    ] as const) {
      const { stdout, stderr } = await run('list', '--keys', ...args);
      assert.deepEqual([stdout, stderr], [keys.map((key) => `${key}\n`).join(''), ''], args.join(' '));
    }
  });

  it('lists the newest files of one schema, and says so when a list has several', async () => {
    const [old, older] = ['MAP.3_1.IndexRecord.v1', 'MAP.4_0.IndexRecord.v1'] as const;
    const first = await write('indexing', ['cdl', '20170101_000000'], { schema: old });
    const second = await write('indexing', ['cdl', '20170201_000000'], { schema: older });
    const other = await write('indexing', ['mdl', '20170101_000000'], { schema: old });
    const all = ['--activity', 'indexing', '--keys'];

    const mixed = await run('latest', ...all);
    assert.equal(mixed.stdout, `${second}\n${other}\n`);
    assert.equal(
      mixed.stderr,
      `These are files of ${older} and ${old}: name one with --schema for a list that is read as one table.\n`,
    );
    assert.equal(
      (await run('list', ...all)).stderr,
      mixed.stderr.replace(`${older} and ${old}`, `${old} and ${older}`),
    );
    for (const [args, keys] of [
      [
        ['latest', ...all, '--schema', old],
        [first, other],
      ],
      [['latest', ...all, '--schema', `la.dp.avro.${older}`], [second]],
      [['latest', ...all, '--schema', older, '--provider', 'cdl'], [second]],
      [
        ['at', '2017-01-31', ...all, '--schema', old],
        [first, other],
      ],
    ] as const) {
      const { stdout, stderr } = await run(...args);
      assert.deepEqual([stdout, stderr], [keys.map((key) => `${key}\n`).join(''), ''], args.join(' '));
    }
    const none = await run('at', '2017-01-31', ...all, '--schema', older);
    assert.deepEqual([none.exitCode, none.stdout], [1, '']);
    assert.match(
      none.stderr,
      /there is no indexing as MAP\.4_0\.IndexRecord\.v1 from 2017-01-31T23:59:59\.000Z or before in/,
    );
  });

  it('shows and prints a file that was copied out of the store, by its path', async () => {
    const key = await write('harvest', ['cdl', '20170209_104428'], {
      schema: 'OriginalRecord.v1',
      records: [record('a'), record('b')],
    });
    const name = basename(key);
    folder.write(name, await buffer((await store.get(key)).body));
    folder.write('renamed.avro', await buffer((await store.get(key)).body));

    for (const path of [name, `./${name}`, folder.at('renamed.avro')]) {
      const { stdout, stderr } = await run('cat', path);
      assert.deepEqual(
        [stdout, stderr],
        ['== a (application/xml)\n<r>a</r>\n== b (application/xml)\n<r>b</r>\n', ''],
        path,
      );
    }
    const shown = JSON.parse((await run('show', name, '--json', '--count')).stdout);
    const { path, provider, start, schema, records, provenance } = shown;
    assert.deepEqual(
      { path, provider, start, schema, records, provenance },
      {
        ...{ path: folder.at(name), provider: 'cdl', start: '2017-02-09T10:44:28.000Z' },
        ...{ schema: 'OriginalRecord.v1', records: 2, provenance: [] },
      },
    );
    assert.match((await run('show', 'renamed.avro')).stdout, /^Path +\S+renamed\.avro\nSchema +OriginalRecord\.v1\n/);
  });

  it('shows header, records, what it was made of, and what its run did; takes a path of its own', async () => {
    const harvest = await write('harvest', ['cdl', '20170209_104428'], {
      schema: 'OriginalRecord.v1',
      records: [record('a'), record('b')],
    });
    const mapping = await write('mapping', ['cdl', '20170210_000000'], {
      schema: 'MAP.4_0.MAPRecord.v1',
      generator: harvest,
    });
    await putJson(store, { kind: 'summary', of: harvest }, { attempted: 3, written: 2, errors: { 'no id': 1 } });

    const shown = await run('show', store.pathOf(harvest));
    assert.deepEqual([shown.exitCode, shown.stderr], [0, '']);
    for (const line of [
      /^Schema +OriginalRecord\.v1$/m,
      /^Codec +(?:null|deflate|zstandard)$/m,
      /^Doc +made by 0\.1\.0\+0123456789ab$/m,
      /^Records +2$/m,
      /^Made of +https:\/\/example\.org\/oai, by 0\.1\.0\+0123456789ab$/m,
      /^Summary: attempted +3$/m,
      /^Summary: errors +\{"no id":1\}$/m,
    ]) {
      assert.match(shown.stdout, line);
    }
    const view = JSON.parse((await run('show', `/${mapping}`, '--json', '--count')).stdout);
    assert.equal(view.records, 0);
    assert.deepEqual(view.provenance, [
      { file: mapping, generator: harvest, version: VERSION },
      { file: harvest, generator: 'https://example.org/oai', version: VERSION },
    ]);
  });

  it('reads IndexRecords as Spark writes them, whose schema has no namespace, by the schema that their names have', async () => {
    const fields = ['id', 'document'].map((field) => ({ name: field, type: 'string' }));
    const schema = JSON.stringify({ type: 'record', name: 'v1', namespace: 'IndexRecord', fields });
    const metadata = { 'avro.schema': schema, 'org.apache.spark.version': '3.5.9', 'avro.codec': 'deflate' };
    const file = rawFile(metadata, rawBlock(1, deflateRawSync(Buffer.concat([text('a'), text('{}')]))));
    for (const id of ['MAP.3_1.IndexRecord.v1', 'MAP.4_0.IndexRecord.v1']) {
      const key = `cdl/indexing/20170209/20170209_104428-cdl-${id}.avro`;
      await store.put(key, [file]);
      await writeProvenance(store, key, { generator: 'Spark', version: '3.5.9' });
      folder.write(basename(key), file);

      for (const name of [key, basename(key)]) assert.equal((await run('cat', name)).stdout, '== a\n{}\n', name);
      const { schema: shown, records } = JSON.parse((await run('show', key, '--count', '--json')).stdout);
      assert.deepEqual([shown, records], [id, 1]);
    }
    folder.write('part-00000.avro', file);
    assert.match(
      (await run('cat', 'part-00000.avro')).stderr,
      /may be .+ schema\.name, or a file name as in keys, would decide/,
    );
  });

  it('prints records as they are, for people or as lines that a harvest takes', async () => {
    const records = Array.from({ length: 5_000 }, (_, at) => record(`r${at}`, `<r>\n"é" ${at}</r>`));
    const key = await write('harvest', ['cdl', '20170209_104428'], { schema: 'OriginalRecord.v1', records });

    const { stdout, exitCode } = await run('cat', key, '--json');
    assert.equal(exitCode, 0);
    assert.deepEqual(jsonLines(stdout), records);
    assert.equal(
      (await run('cat', `/${key}`, '--limit', '2')).stdout,
      '== r0 (application/xml)\n<r>\n"é" 0</r>\n== r1 (application/xml)\n<r>\n"é" 1</r>\n',
    );
  });

  it('finds damage, and prints the records of the blocks before it', async () => {
    const header = { 'avro.schema': schemaText('MAP.4_0.MAPRecord.v1'), 'avro.codec': 'deflate' };
    const block = (id: string, records = 1) =>
      rawBlock(records, deflateRawSync(Buffer.concat([text(id), text('<r/>')])));
    const offset = rawFile(header, block('a')).length;
    for (const [second, problem] of [
      [block('b').subarray(0, -1), 'is cut off'],
      [block('b').subarray(0, 1), 'is cut off'],
      [block('b', 2), 'holds only 1 of its 2 records'],
      [rawBlock(1, Buffer.from('x')), 'cannot be unpacked'],
    ] as const) {
      folder.write('damaged.avro', rawFile(header, block('a'), second));
      const cat = await run('cat', 'damaged.avro');
      const show = await run('show', 'damaged.avro', '--count');
      assert.deepEqual([cat.stdout, show.stdout], ['== a\n<r/>\n', '']);
      for (const { exitCode, stderr } of [cat, show]) {
        assert.equal(exitCode, 2);
        assert.match(stderr, new RegExp(`damaged\\.avro: the block at byte ${offset} ${problem}`));
      }
    }
  });

  it('reports what is wrong with a key or an option', async () => {
    const torn = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
    await store.put(torn, [Buffer.from('torn')]);
    for (const [args, message, code] of [
      [['cat', 'cdl/x'], /"cdl\/x" is not the key of an Avro file; a valid one is cdl\/harvest\//, 2],
      [['show', torn.replaceAll('2017', '2018')], /there is no cdl\/harvest\/20180209\//, 2],
      [['show', torn], /it has no -prov\.json beside it, so the run that wrote it is not over/, 2],
      [['at', 'yesterday', '--activity', 'harvest'], /"yesterday" is not a W3C datetime: use one such as/, 2],
      [['latest'], /required option '--activity/, 2],
      [['latest', '--activity', 'plan'], /Use harvest or upload/, 2],
      [['latest', '--activity', 'harvest', '--schema', 'IndexRecord.v1'], /Use OriginalRecord\.v1 or MAP\.3_1\.Ind/, 2],
      [['latest', '--activity', 'harvest', '--provider', 'C/D'], /is not a provider/, 2],
    ] as const) {
      const { stdout, stderr, exitCode } = await run(...args);
      assert.deepEqual([exitCode, stdout], [code, ''], args.join(' '));
      assert.match(stderr, message);
    }
  });

  it('runs as a process, with the store from the environment', async () => {
    const key = await write('harvest', ['cdl', '20170209_104428']);
    const env = { ...place.environment, TIDEMARK_ARTIFACTS: place.text };
    const { stdout, exitCode } = await runProcess(['artifacts', 'latest', '--activity', 'harvest', '--keys'], {
      cwd: folder.path,
      env,
    });
    assert.deepEqual([exitCode, stdout], [0, `${key}\n`]);
  });
});
