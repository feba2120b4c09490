import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import { latestArtifact } from '../../../src/artifacts/find-artifacts.ts';
import type { RunOptions, RunOutcome } from '../../../src/records/activities/run-activity.ts';
import type { InputItem } from '../../../src/records/input-item.ts';
import { TransformRunner } from '../../../src/records/transforms/transform-runner.ts';
import {
  allKindsOfItems,
  docOf,
  HARVEST,
  harvest,
  keysOf,
  readJsonOf,
  readRecords,
  readTextOf,
  sourceOf,
  xmlRecord,
  xmlRecords,
} from '../../support/activity-run.ts';
import { describeOnEachArtifactStore } from '../../support/each-artifact-store.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const FEBRUARY = new Date('2017-02-09T10:44:28.900Z');
const MARCH = new Date('2017-03-01T00:00:00Z');
const KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const STEM = KEY.replace(/\.avro$/, '');

describeOnEachArtifactStore('a run of an activity', (place) => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
  });
  afterEach(async () => {
    await store.close();
  });

  it('A22: has the time of its start in its key, and keeps records, summary and provenance beside each other', async () => {
    const { summary } = await run(xmlRecords(250), { start: FEBRUARY });

    assert.equal(summary.key, KEY);
    assert.deepEqual(await keysOf(store), [`${STEM}-claim.json`, `${STEM}-prov.json`, `${STEM}-summary.json`, KEY]);
    const records = await readRecords(store, KEY, 'OriginalRecord.v1');
    assert.equal(records.length, 250);
    assert.deepEqual(records[7], {
      id: 'r7',
      provider: 'cdl',
      document: '<record>r7</record>',
      mimetype: 'application/xml',
    });
  });

  it('A02, A05: has a doc with what made the file, and the version of the program', async () => {
    await run(xmlRecords(1), { start: FEBRUARY });

    const doc = await docOf(store, KEY);

    assert.equal(doc, 'harvest of cdl, derived from https://example.org/oai; written by tidemark 0.1.0+0123456789ab');
  });

  it('A30, a5: has the provenance of a harvest name its source', async () => {
    await run(xmlRecords(1), { start: FEBRUARY });

    const provenance = await readJsonOf(store, `${STEM}-prov.json`);

    assert.deepEqual(provenance, { generator: 'https://example.org/oai', version: '0.1.0+0123456789ab' });
  });

  it('a7: takes the next free second when another run has taken its own, and overwrites nothing', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3].map((count) => run(xmlRecords(count), { start: MARCH, acceptDrop: true })),
    );

    const starts = outcomes.map(({ start }) => start.toISOString()).sort();
    assert.deepEqual(starts, ['2017-03-01T00:00:00.000Z', '2017-03-01T00:00:01.000Z', '2017-03-01T00:00:02.000Z']);
    for (const { summary } of outcomes) {
      const records = await readRecords(store, summary.key, 'OriginalRecord.v1');
      assert.equal(records.length, summary.written);
    }
  });

  it('a7: passes over the claim that a dead run has left, and a file of a program that claims nothing', async () => {
    await store.put(`${STEM}-claim.json`, [Buffer.from('{}')]);
    await store.put(KEY.replace('104428', '104429'), [Buffer.from('torn')]);

    const { summary } = await run(xmlRecords(1), { start: FEBRUARY });

    assert.equal(summary.key, KEY.replace('104428', '104430'));
  });

  it('keeps what failed in the errata with id, line, kind and message, and writes the rest', async () => {
    const bad: InputItem = { kind: 'bad', line: 2, id: 'x', problem: { kind: 'mimetype', message: 'it is odd' } };
    const worse: InputItem = { kind: 'bad', line: 3, problem: { kind: 'no-id', message: 'it has no id' } };
    const { summary, errata } = await run([xmlRecord('a'), bad, worse, worse, xmlRecord('b')], { start: FEBRUARY });

    const lines = (await readTextOf(store, `${STEM}-errata.ndjson`)).trim().split('\n');
    assert.deepEqual(JSON.parse(lines[0]!), { id: 'x', line: 2, kind: 'mimetype', message: 'it is odd' });
    assert.deepEqual(JSON.parse(lines[1]!), { line: 3, kind: 'no-id', message: 'it has no id' });
    assert.deepEqual([lines.length, errata.count, errata.first.length], [3, 3, 3]);
    assert.deepEqual(
      [summary.attempted, summary.written, summary.failed, Object.entries(summary.errors)],
      [
        5,
        2,
        3,
        [
          ['no-id', 2],
          ['mimetype', 1],
        ],
      ],
    );
  });

  it('keeps its summary as JSON beside the artifact, with counts, times, rate and hashes', async () => {
    const { summary } = await run(xmlRecords(3), { start: FEBRUARY });

    const kept = await readJsonOf(store, `${STEM}-summary.json`);

    assert.deepEqual(kept, JSON.parse(JSON.stringify(summary)));
    const { attempted, written, failed, duplicates, errors, key, published } = summary;
    assert.deepEqual(
      { attempted, written, failed, duplicates, errors, key, published },
      { attempted: 3, written: 3, failed: 0, duplicates: 0, errors: {}, key: KEY, published: true },
    );
    assert.equal(summary.start, '2017-02-09T10:44:28.000Z');
    assert.ok(Date.parse(summary.ended) >= Date.parse(summary.began) && summary.seconds >= 0);
    assert.equal(summary.length, (await store.head(KEY))?.length);
    assert.match(summary.hashes?.['sha-256'] ?? '', /^[0-9a-f]{64}$/);
  });

  it('lets the last record of an id win, counts the others, and names them in the errata', async () => {
    const items = [xmlRecord('a', '<a>1</a>', 1), ...xmlRecords(150), xmlRecord('a', '<a>2</a>', 152)];
    const { summary } = await run([...items, xmlRecord('a', '<a>3</a>', 153)], { start: FEBRUARY });

    const records = await readRecords(store, KEY, 'OriginalRecord.v1');
    assert.deepEqual(
      records.filter(({ id }) => id === 'a').map(({ document }) => document),
      ['<a>3</a>'],
    );
    assert.deepEqual([summary.attempted, summary.written, summary.duplicates, summary.failed], [153, 151, 2, 0]);
    const [first] = (await readTextOf(store, `${STEM}-errata.ndjson`)).split('\n');
    const message = 'left out: its id comes again in line 153, and the last one counts';
    assert.deepEqual(JSON.parse(first!), { id: 'a', line: 1, kind: 'duplicate-id', message });
  });

  it('writes deleted records into a file beside its own, which the newest never is', async () => {
    const items: InputItem[] = [
      xmlRecord('a'),
      { kind: 'deleted', id: 'b' },
      { kind: 'deleted', id: 'a' },
      { kind: 'deleted', id: 'c' },
      xmlRecord('c'),
    ];
    const { summary, companion } = await run(items, { start: FEBRUARY });

    assert.equal(companion, KEY.replace('OriginalRecord', 'DeletedRecord'));
    const deleted = Date.parse('2017-02-09T10:44:28Z');
    assert.deepEqual(await readRecords(store, companion, 'DeletedRecord.v1'), [
      { id: 'b', provider: 'cdl', deleted },
      { id: 'a', provider: 'cdl', deleted },
    ]);
    assert.deepEqual(
      (await readRecords(store, KEY, 'OriginalRecord.v1')).map(({ id }) => id),
      ['c'],
    );
    assert.deepEqual([summary.written, summary.deleted, summary.duplicates], [1, 2, 2]);
    assert.deepEqual(await latest(), KEY);
    assert.ok((await keysOf(store)).includes(companion.replace('.avro', '-prov.json')));
  });

  it('A03, A04: names the file that a mapping or enrichment derives from in its doc', async () => {
    const mapped = await derive('mapping', KEY, 'identity');
    const enriched = await derive('enrichment', mapped.summary.key, 'identity');

    assert.match((await docOf(store, mapped.summary.key)) ?? '', new RegExp(`derived from ${KEY};`));
    assert.match((await docOf(store, enriched.summary.key)) ?? '', new RegExp(`derived from ${mapped.summary.key};`));
  });

  it('gives a transform one record after the other, and takes none, one or several of it', async () => {
    folder.write(
      'several.mjs',
      `export default async ({ id, document, mimetype }, { provider, generator }) => {
        if (id === 'r1') return null;
        if (id === 'r2') throw Object.assign(new Error('it has no title'), { kind: 'missing-field' });
        if (id === 'r3') throw new Error('broken');
        if (id === 'r4') return { id: '', document };
        return [id, id + '/copy'].map((one) => ({ id: one, document: [mimetype, provider, generator].join(' ') }));
      };`,
    );
    const { summary } = await derive('mapping', KEY, 'several.mjs', xmlRecords(6));

    const records = await readRecords(store, summary.key, 'MAP.4_0.MAPRecord.v1');
    assert.deepEqual(
      records.map(({ id }) => id),
      ['r0', 'r0/copy', 'r5', 'r5/copy'],
    );
    assert.equal(records[0]?.document, `application/xml cdl ${KEY}`);
    assert.deepEqual(summary.errors, { 'missing-field': 1, transform: 1, 'no-id': 1 });
    assert.deepEqual([summary.attempted, summary.written, summary.omitted, summary.failed], [6, 4, 1, 3]);
    assert.equal(summary.transform, 'several.mjs');
  });

  it('leaves nothing that is listed when it is stopped, or its source fails', async () => {
    for (const [reason, stop] of [
      ['stopped', (controller: AbortController) => controller.abort(new Error('stopped'))],
      [
        'lost',
        () => {
          throw new Error('lost');
        },
      ],
    ] as const) {
      const controller = new AbortController();
      const source = {
        total: undefined,
        async *read() {
          yield { items: xmlRecords(10), done: 1 };
          stop(controller);
          yield { items: xmlRecords(10), done: 2 };
        },
      };

      await assert.rejects(run([], { source, signal: controller.signal }), { message: reason });
      assert.equal(await latest(), undefined);
    }
    assert.ok((await keysOf(store)).every((key) => key.endsWith('-claim.json')));
  });

  it('writes the Avro file, errata and summary before any provenance, and its own provenance last', async () => {
    const order: string[] = [];
    const put: ArtifactStore['put'] = async (key, body, options) => {
      const stored = await store.put(key, body, options);
      order.push(key);
      return stored;
    };
    const recording = Object.create(store, { put: { value: put } }) as ArtifactStore;
    for (const name of ['head', 'list', 'get', 'folders', 'objects', 'pathOf'] as const) {
      Object.defineProperty(recording, name, { value: store[name].bind(store) });
    }

    await run(allKindsOfItems(3), { store: recording, start: FEBRUARY });

    const companion = KEY.replace('OriginalRecord', 'DeletedRecord');
    assert.deepEqual(order, [
      `${STEM}-claim.json`,
      KEY,
      companion,
      `${STEM}-errata.ndjson`,
      `${STEM}-summary.json`,
      companion.replace('.avro', '-prov.json'),
      `${STEM}-prov.json`,
    ]);
  });

  it('reports how far it is', async () => {
    const reports: string[] = [];
    await run(xmlRecords(250), {
      onProgress: ({ step, attempted, total }) =>
        reports.push(`${step} ${attempted} ${step === 'reading' ? total : ''}`),
    });

    assert.deepEqual(reports.slice(0, 3), ['reading 100 250', 'reading 200 250', 'reading 250 250']);
    assert.equal(reports.at(-1), 'writing 250 ');
  });

  async function run(items: readonly InputItem[], options: Partial<RunOptions>): Promise<RunOutcome> {
    try {
      return await harvest({ store, folder: folder.at('spool'), ...options }, items);
    } finally {
      // What a run gathers has no name, also while it runs.
      assert.deepEqual(readdirSync(folder.at('spool')), []);
    }
  }

  async function derive(
    activity: 'mapping' | 'enrichment',
    generator: string,
    text: string,
    items = xmlRecords(2),
  ): Promise<RunOutcome> {
    const { signal } = HARVEST;
    const transform = await TransformRunner.open({ text, folder: folder.path, recordTimeoutMs: 60_000, signal });
    try {
      const schema = 'MAP.4_0.MAPRecord.v1';
      return await run([], { ...HARVEST, activity, generator, transform, schema, source: sourceOf(items) });
    } finally {
      transform.close();
    }
  }

  async function latest(): Promise<string | undefined> {
    return (await latestArtifact(store, { provider: 'cdl', activity: 'harvest' }))?.key;
  }
});
