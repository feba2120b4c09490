import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { findArtifact } from '../../src/artifacts/find-artifacts.ts';
import { docOf, keysOf, readJsonOf, readRecords, readTextOf } from '../support/activity-run.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { type FinishedRun, runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const HARVEST_KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const VERSION = /^\d+\.\d+\.\d+(\+[0-9a-f]{12})?$/;
const MAPPING = {
  language: 'xpath',
  fields: {
    '@type': { value: 'ore:Aggregation' },
    'edm:aggregatedCHO': { fields: { 'dcterms:title': { from: '//title', required: true } } },
  },
};

describeOnEachArtifactStore('activities on the command line', (place, itOnce) => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
    writeFileSync(folder.at('mapping.json'), JSON.stringify(MAPPING));
  });
  afterEach(() => store.close());

  it('A31, A32, A33, A34: lead from records to an index, each finding its file by itself, by its name or by a plan', async () => {
    const harvested = await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z --write-plan', xmlLines(3));
    const [harvestKey, harvestPlan] = harvested.stdout.trim().split('\n');
    assert.deepEqual(
      [harvestKey, harvestPlan],
      [HARVEST_KEY, 'cdl/plan/20170209_104428/20170209_104428-OriginalRecord.v1.json'],
    );

    const mapped = await tidemark(`mapping cdl --plan /${harvestPlan} --transform mapping.json --write-plan`);
    const [mappingKey, mappingPlan] = mapped.stdout.trim().split('\n');
    const enriched = await tidemark(`enrichment cdl --input ${store.pathOf(mappingKey!)}`);
    const indexed = await tidemark('indexing cdl --write-plan --json');
    const { key: indexKey, files } = JSON.parse(indexed.stdout);

    assert.deepEqual(
      [harvested, mapped, enriched, indexed].map(({ exitCode }) => exitCode),
      [0, 0, 0, 0],
    );
    const enrichmentKey = enriched.stdout.trim();
    assert.deepEqual(await chainOf(indexKey), [enrichmentKey, mappingKey, HARVEST_KEY, 'stdin:']);
    const { version, ...plan } = await readJsonOf(store, mappingPlan!);
    assert.deepEqual(plan, { harvest: HARVEST_KEY, mapping: mappingKey });
    assert.match(String(version), VERSION);
    const { version: _, ...whole } = await readJsonOf(store, files.plan);
    assert.deepEqual(whole, {
      harvest: HARVEST_KEY,
      mapping: mappingKey,
      enrichment: enrichmentKey,
      indexing: indexKey,
    });
    const [first] = await readRecords(store, indexKey, 'MAP.3_1.IndexRecord.v1');
    assert.deepEqual(JSON.parse(first!.document).sourceResource, { title: ['Map 0'] });
  });

  it('A16, A39, A40: run again from a historical file, and write a new provenance that names it', async () => {
    await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z', xmlLines(2));
    const old = await tidemark('mapping cdl --started 2017-02-10T00:00:00Z');
    await tidemark('mapping cdl --started 2017-03-10T00:00:00Z');
    const historical = old.stdout.trim();

    const enriched = await tidemark(`enrichment cdl --input ${historical}`);
    const indexed = await tidemark(`indexing cdl --input ${historical} --transform identity`);

    for (const { stdout } of [enriched, indexed]) {
      const key = stdout.trim();
      const { generator, version } = await readJsonOf(store, key.replace('.avro', '-prov.json'));
      assert.equal(generator, historical);
      assert.match(String(version), VERSION);
      assert.match((await docOf(store, key)) ?? '', new RegExp(historical));
    }
    assert.match(indexed.stdout, /-cdl-MAP\.4_0\.IndexRecord\.v1\.avro\n$/);
  });

  itOnce(
    'refuse a file that is not there or not complete, of another kind or provider, and a plan that names one',
    async () => {
      await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z', xmlLines(1));
      const missing = HARVEST_KEY.replaceAll('2017', '2018');
      const torn = HARVEST_KEY.replaceAll('2017', '2019');
      await store.put(torn, [Buffer.from('Obj')]);
      const plan = (harvest: unknown) => [Buffer.from(JSON.stringify({ harvest, version: '1' }))];
      await store.put('cdl/plan/20180209_104428/20180209_104428-x.json', plan(missing));
      await store.put('cdl/plan/20180209_104429/20180209_104429-x.json', plan(undefined));

      const cases = {
        [`mapping cdl --input ${missing}`]: /there is no cdl\/harvest\/20180209/,
        [`mapping cdl --input ${torn}`]: /there is no .+20190209.+ no -prov.json beside it/,
        'mapping cdl --input nonsense': /"nonsense" is not the key of an Avro file; a valid one is cdl\/harvest/,
        [`mapping mdl --input ${HARVEST_KEY}`]: /is a file of cdl, not of mdl/,
        [`enrichment cdl --input ${HARVEST_KEY}`]:
          /avro holds OriginalRecord.v1, and enrichment reads MAP.4_0.MAPRecord.v1/,
        'mapping cdl --plan cdl/plan/20180209_104428':
          /there is no cdl\/harvest\/20180209\/20180209_104428-cdl-OriginalRecord.v1.avro in .+, which the plan cdl\/plan\/20180209_104428\/20180209_104428-x.json names for harvest/,
        'mapping cdl --plan cdl/plan/20180209_104429':
          /names no file of normalization or harvest .+, which mapping needs \(it has: none\)/,
        'mapping cdl --plan cdl/plan/nowhere': /there is no plan cdl\/plan\/nowhere/,
        'mapping mdl': /mdl has no file of .*harvest.* that mapping could read/,
      };
      for (const [args, message] of Object.entries(cases)) {
        const { exitCode, stdout, stderr } = await tidemark(args);
        assert.deepEqual([exitCode, stdout], [2, ''], args);
        assert.match(stderr, message);
      }
      assert.deepEqual((await keysOf(store, 'cdl/mapping/')).concat(await keysOf(store, 'mdl/')), []);
    },
  );

  itOnce('A33: read the file that a plan names for the activity before, and not its other or newer ones', async () => {
    const harvested = await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z --write-plan', xmlLines(3));
    const [, harvestPlan] = harvested.stdout.trim().split('\n');
    const mapped = await tidemark(
      `mapping cdl --plan ${harvestPlan} --transform mapping.json --started 2017-02-10T00:00:00Z --write-plan`,
    );
    const [mappingKey, plan] = mapped.stdout.trim().split('\n');
    const newer = await tidemark('mapping cdl --transform mapping.json');
    const { version: _, ...named } = await readJsonOf(store, plan!);
    assert.deepEqual(named, { harvest: HARVEST_KEY, mapping: mappingKey });

    const fromPlan = {
      mapping: await tidemark(`mapping cdl --plan ${plan} --transform mapping.json --json`),
      enrichment: await tidemark(`enrichment cdl --plan ${plan} --json`),
      indexing: await tidemark(`indexing cdl --plan ${plan} --json`),
    };

    assert.equal(newer.exitCode, 0);
    const generators = Object.entries(fromPlan).map(([name, { stdout }]) => [name, JSON.parse(stdout).generator]);
    assert.deepEqual(Object.fromEntries(generators), {
      mapping: HARVEST_KEY,
      enrichment: mappingKey,
      indexing: mappingKey,
    });
  });

  itOnce('a6: read all files that a plan names for one activity, and name the plan as generator', async () => {
    await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z', xmlLines(2));
    await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z', xmlLines(5));
    const key = 'cdl/plan/20170209_104428/20170209_104428-MappedRecord.json';
    const files = [HARVEST_KEY, HARVEST_KEY.replace('104428', '104429')];
    await store.put(key, [Buffer.from(JSON.stringify({ harvest: files, version: '1' }))]);

    const { stdout } = await tidemark(`mapping cdl --plan ${key} --json`);

    const { attempted, written, duplicates, generator } = JSON.parse(stdout);
    assert.deepEqual(
      { attempted, written, duplicates, generator },
      {
        attempted: 7,
        written: 5,
        duplicates: 2,
        generator: key,
      },
    );
  });

  itOnce(
    'refuse what is not JSON in an IndexRecord of MAP 3.1, and an empty MAPRecord, and publish the rest',
    async () => {
      const documents = ['not json', '[1]', '{"a":', '', '{"title":"A map"}'];
      const lines = documents.map((document, at) =>
        JSON.stringify({ id: `r${at}`, document, mimetype: 'application/json' }),
      );
      await tidemark('harvest cdl --from -', lines.join('\n'));
      writeFileSync(
        folder.at('as-it-is.mjs'),
        "export const schema = 'MAP.3_1.IndexRecord.v1'; export default ({ id, document }) => ({ id, document });",
      );

      const mapped = await tidemark('mapping cdl --json');
      const indexed = await tidemark('indexing cdl --transform as-it-is.mjs --json');

      const [mapping, indexing] = [mapped, indexed].map(({ stdout }) => JSON.parse(stdout));
      assert.deepEqual([mapped.exitCode, mapping.errors, mapping.written], [1, { 'no-document': 1 }, 4]);
      assert.deepEqual([indexed.exitCode, indexing.errors, indexing.written], [1, { 'not-json': 3 }, 1]);
      const [record] = await readRecords(store, indexing.key, 'MAP.3_1.IndexRecord.v1');
      assert.equal(record?.document, documents[4]);
      const [erratum] = (await readTextOf(store, indexing.files.errata)).split('\n');
      assert.match(
        erratum!,
        /"kind":"not-json".+its document is not a JSON object, as MAP\.3_1\.IndexRecord\.v1 requires/,
      );
    },
  );

  itOnce('hint that documents of MAP 4.0 are not RDF, and publish them', async () => {
    await tidemark('harvest cdl --from -', xmlLines(2));
    const rdf = [
      '{"@id":"https://example.org/1"}',
      '[{"@type":"ore:Aggregation"}]',
      '<?xml version="1.0"?>\n<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>',
      '<https://example.org/1> a <https://example.org/Map> . # the end\n',
      '@prefix a: <https://example.org/> .\na:b a:c "d" .',
    ];
    const lines = rdf.map((document, at) => JSON.stringify({ id: `r${at}`, document, mimetype: 'text/turtle' }));
    await tidemark('harvest mdl --from -', lines.join('\n'));

    const [xml, right] = [await tidemark('mapping cdl'), await tidemark('mapping mdl')];

    assert.deepEqual([xml.exitCode, right.exitCode], [0, 0]);
    assert.match(
      xml.stderr,
      /Hint: 2 of 2 documents do not seem to be RDF, which MAP 4\.0 is: to map them, name .+ with --transform\./,
    );
    assert.doesNotMatch(right.stderr, /Hint/);
  });

  itOnce('say that nothing was published after a drop, and publish when it is accepted', async () => {
    await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z', xmlLines(10));

    const stopped = await tidemark('harvest cdl --from -', xmlLines(6));
    const warned = await tidemark('harvest cdl --from - --drop-limit 50%', xmlLines(6));
    const accepted = await tidemark('harvest cdl --from - --accept-drop --json', xmlLines(1));

    assert.deepEqual([stopped.exitCode, stopped.stdout], [1, '']);
    assert.match(
      stopped.stderr,
      /Nothing was published: 6 records would be 40\.0 % fewer than the 10 records of cdl\/har/,
    );
    assert.match(stopped.stderr, /run it again with --accept-drop/);
    assert.equal(warned.exitCode, 0);
    assert.match(warned.stderr, /Warning: 6 records, 40\.0 % fewer/);
    assert.equal(accepted.exitCode, 0);
    assert.ok(await findArtifact(store, JSON.parse(accepted.stdout).key));
  });

  itOnce('report what failed, and exit with 1 when something did', async () => {
    const input = `${xmlLines(2)}{"document":"x"}\n${xmlLines(1)}`;
    const { exitCode, stdout, stderr } = await tidemark(
      'harvest cdl --from - --started 2017-02-09T10:44:28Z --source https://example.org/oai',
      input,
    );

    assert.deepEqual([exitCode, stdout], [1, `${HARVEST_KEY}\n`]);
    const [failed, left, totals, kind, where] = stderr.split('\n');
    assert.equal(failed, 'line 3: it has no id');
    assert.match(left ?? '', /^line 1, r0: left out: its id comes again in line 4, /);
    assert.match(totals ?? '', /^harvest: 4 records read, 2 written, 1 failed, 1 left out because .+ records\/s, /);
    assert.equal(kind, '  no-id: 1');
    assert.equal(where, `Each of them is in ${HARVEST_KEY.replace('.avro', '-errata.ndjson')}.`);
  });

  itOnce('report that a newer mapping was not enriched', async () => {
    await tidemark('harvest cdl --from - --started 2017-02-09T10:44:28Z', xmlLines(1));
    await tidemark('mapping cdl --started 2017-02-10T00:00:00Z');
    const enriched = await tidemark('enrichment cdl --started 2017-02-11T00:00:00Z');
    await tidemark('mapping cdl --started 2017-02-12T00:00:00Z');

    const { stderr } = await tidemark('indexing cdl --transform identity');

    assert.match(stderr, new RegExp(`reading ${enriched.stdout.trim()}; the mapping cdl/mapping/20170212/.+ is newer`));
  });

  itOnce('begin at a time as in keys, and say that a run with a later time is still the newest', async () => {
    const second = await tidemark('harvest cdl --from - --started 20170209_104428', xmlLines(1));
    const first = await tidemark('harvest cdl --from - --started 2017-02-08T00:00:00Z', xmlLines(1));
    const third = await tidemark('harvest cdl --from -', xmlLines(1));

    assert.deepEqual([second.stdout, first.exitCode, third.exitCode], [`${HARVEST_KEY}\n`, 0, 0]);
    assert.match(
      first.stderr,
      new RegExp(`The newest is still ${HARVEST_KEY}, which began later: what takes the newest`),
    );
    assert.doesNotMatch(second.stderr + third.stderr, /newest/);
  });

  itOnce('refuse input that is compressed, and say how to unpack it', async () => {
    writeFileSync(folder.at('records.ndjson.gz'), gzipSync(xmlLines(1)));

    const { exitCode, stdout, stderr } = await tidemark('harvest cdl --from records.ndjson.gz');

    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(
      stderr,
      /the input is compressed with gzip: unpack it first, as "gunzip -c FILE \| tidemark … --from -"/,
    );
  });

  itOnce('refuse what does not fit the activity', async () => {
    const cases = {
      'harvest cdl': /a harvest needs --from/,
      'harvest cdl --from nowhere.ndjson': /nowhere\.ndjson cannot be read: it does not exist \(ENOENT\)/,
      'harvest cdl --from - --plan x': /--plan is not for harvest/,
      'mapping cdl --from x': /--from is not for mapping/,
      'mapping cdl --input a --plan b': /use --input or --plan/,
      'mapping cdl --transform map-3.1':
        /map-3.1 makes MAP.3_1.IndexRecord.v1, and mapping writes MAP.4_0.MAPRecord.v1/,
      'mapping cdl --transform nonsense': /nonsense is not a transform: use identity, .*or the path/,
      'plan cdl': /"plan" is not an activity that can be run: use harvest, mapping, enrichment, indexing/,
      'harvest CDL --from -': /"CDL" is not a provider/,
      'harvest cdl --from - --started yesterday': /not a W3C datetime/,
      'harvest cdl --from - --started 2126-01-01T00:00:00Z': /It is in the future/,
      'harvest cdl --from - --drop-limit 130': /is not a percentage/,
    };
    for (const [args, message] of Object.entries(cases)) {
      const { exitCode, stderr } = await tidemark(args);
      assert.equal(exitCode, 2, args);
      assert.match(stderr, message);
    }
  });

  function tidemark(args: string, input?: string): Promise<FinishedRun> {
    const env = { ...place.environment, TIDEMARK_ARTIFACTS: place.text };
    return runTidemark(['activity', 'run', ...args.split(' ')], {
      cwd: folder.path,
      env,
      ...(input !== undefined && { input }),
    });
  }

  async function chainOf(key: string): Promise<readonly string[]> {
    const chain: string[] = [];
    for (let next = key; next.endsWith('.avro'); next = chain.at(-1)!) {
      chain.push(String((await readJsonOf(store, next.replace('.avro', '-prov.json'))).generator));
    }
    return chain;
  }
});

function xmlLines(count: number): string {
  return Array.from({ length: count }, (_, number) => {
    const document = `<record><title>Map ${number}</title></record>`;
    return `${JSON.stringify({ id: `r${number}`, document, mimetype: 'application/xml' })}\n`;
  }).join('');
}
