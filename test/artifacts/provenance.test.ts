import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { readPlan, writePlan } from '../../src/artifacts/plan.ts';
import { readProvenance, readProvenanceChain, writeProvenance } from '../../src/artifacts/provenance.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const HARVEST = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const MAPPING = 'cdl/mapping/20170210/20170210_080000-cdl-MAP.4_0.MAPRecord.v1.avro';
const ENRICHMENT = 'cdl/enrichment/20170210/20170210_090000-cdl-MAP.4_0.MAPRecord.v1.avro';
const VERSION = '0.1.0+0123456789ab';
const START = new Date('2017-02-09T10:44:28Z');

describe('provenance and plans', () => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = openArtifacts({ kind: 'folder', folder: folder.path });
  });

  const contentOf = async (key: string): Promise<string> => text((await store.get(key)).body);
  const put = (key: string, content: string) => store.put(key, [Buffer.from(content)]);

  it('A30: writes {"generator", "version"} beside the file, once', async () => {
    await writeProvenance(store, MAPPING, { generator: HARVEST, version: VERSION });
    assert.deepEqual(JSON.parse(await contentOf(formatKey({ kind: 'provenance', of: MAPPING }))), {
      generator: HARVEST,
      version: VERSION,
    });
    await assert.rejects(writeProvenance(store, MAPPING, { generator: 'other', version: VERSION }), (error) =>
      isTidemarkError(error, 'conflict'),
    );
    assert.deepEqual(await readProvenance(store, MAPPING), { generator: HARVEST, version: VERSION });
    assert.equal(await readProvenance(store, HARVEST), undefined);
  });

  it('A31: leads from an enrichment to its mapping and its harvest, and (a5) to where that came from', async () => {
    await writeProvenance(store, ENRICHMENT, { generator: `/${MAPPING}`, version: VERSION });
    await writeProvenance(store, MAPPING, { generator: HARVEST, version: VERSION });
    await writeProvenance(store, HARVEST, { generator: 'https://example.org/oai', version: VERSION });

    assert.deepEqual(await readProvenanceChain(store, ENRICHMENT), [
      { key: ENRICHMENT, provenance: { generator: MAPPING, version: VERSION } },
      { key: MAPPING, provenance: { generator: HARVEST, version: VERSION } },
      { key: HARVEST, provenance: { generator: 'https://example.org/oai', version: VERSION } },
    ]);
  });

  it('ends where a file is not there, and refuses a provenance that goes in circles', async () => {
    await writeProvenance(store, ENRICHMENT, { generator: MAPPING, version: VERSION });
    assert.deepEqual((await readProvenanceChain(store, ENRICHMENT)).at(-1), { key: MAPPING, provenance: undefined });
    await writeProvenance(store, MAPPING, { generator: ENRICHMENT, version: VERSION });
    await assert.rejects(readProvenanceChain(store, ENRICHMENT), /goes in circles/);
  });

  it('refuses a provenance that is none, and says what is wrong', async () => {
    for (const [content, message] of [
      ['{"generator": "x"', /is not JSON/],
      ['[]', /is not as it should be/],
      ['{"generator": "x"}', /version: /],
      ['{"generator": ["x"], "version": "1"}', /generator: /],
    ] as const) {
      folder.write(formatKey({ kind: 'provenance', of: HARVEST }), content);
      await assert.rejects(
        readProvenance(store, HARVEST),
        (error) => isTidemarkError(error, 'invalid') && message.test(error.message),
      );
    }
  });

  it('A29: writes a plan with a key for each activity and the version; a list (a6) for several files', async () => {
    const split = [MAPPING, MAPPING.replace('080000', '080001')];
    const key = await writePlan(
      store,
      { provider: 'cdl', start: START },
      { files: { mapping: split, harvest: [HARVEST] }, version: VERSION },
    );

    assert.equal(key, 'cdl/plan/20170209_104428/20170209_104428-MAP.4_0.MAPRecord.v1.json');
    assert.deepEqual(JSON.parse(await contentOf(key)), { harvest: HARVEST, mapping: split, version: VERSION });
    assert.deepEqual(await readPlan(store, key), {
      key,
      files: { harvest: [HARVEST], mapping: split },
      version: VERSION,
    });
  });

  it('A33: reads a plan by its key, a3: or by its folder, whatever the schema in its name', async () => {
    const plan = 'cdl/plan/20170209_104428/20170209_104428-MappedRecord.json';
    await put(plan, JSON.stringify({ harvest: `/${HARVEST}`, version: '1' }));

    for (const name of [plan, `/${plan}`, 'cdl/plan/20170209_104428', '/cdl/plan/20170209_104428/']) {
      assert.deepEqual(await readPlan(store, name), { key: plan, files: { harvest: [HARVEST] }, version: '1' });
    }
  });

  it('refuses a plan that is not there, or none', async () => {
    await assert.rejects(
      readPlan(store, 'cdl/plan/20170209_104428/x.json'),
      (error) => isTidemarkError(error, 'not-found') && /there is no plan/.test(error.message),
    );
    await assert.rejects(readPlan(store, 'cdl/plan/none'), (error) => isTidemarkError(error, 'not-found'));
    for (const [content, message] of [
      ['no', /is not JSON/],
      ['{"harvest": 1, "version": "1"}', /harvest: /],
      [`{"harvest": "${HARVEST}"}`, /version: /],
      [`{"maping": "${HARVEST}", "version": "1"}`, /names "maping", which is not an activity/],
    ] as const) {
      folder.write('cdl/plan/20170209_104428/a.json', content);
      await assert.rejects(
        readPlan(store, 'cdl/plan/20170209_104428/a.json'),
        (error) => isTidemarkError(error, 'invalid') && message.test(error.message),
        content,
      );
    }
    folder.write('cdl/plan/20170209_104428/b.json', '{}');
    await assert.rejects(readPlan(store, 'cdl/plan/20170209_104428'), /has 2 plans: name one/);
    await assert.rejects(readPlan(store, '../plan'), (error) => isTidemarkError(error, 'invalid'));
  });

  it('writes no plan without files', async () => {
    const at = { provider: 'cdl', start: START };
    await assert.rejects(writePlan(store, at, { files: {}, version: VERSION }), /needs the file of an activity/);
    await assert.rejects(writePlan(store, at, { files: { harvest: ['x'] }, version: VERSION }), /is not the key/);
  });
});
