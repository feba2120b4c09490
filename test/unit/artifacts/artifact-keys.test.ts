import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatKey, mediaTypeOf, parseKey } from '../../../src/artifacts/artifact-key.ts';
import { SCHEMA_IDS } from '../../../src/artifacts/avro/avro-schemas.ts';
import { ACTIVITIES, isActivity } from '../../../src/artifacts/keys/activity.ts';
import { type AvroKey, parseAvroKey, parseFileName, requireKey } from '../../../src/artifacts/keys/avro-key.ts';
import { ARCHIVE_PARTS } from '../../../src/artifacts/keys/log-keys.ts';
import { parseSnapshotTime } from '../../../src/artifacts/snapshot-time.ts';
import { formatDate, formatTimestamp, parseTimestamp } from '../../../src/artifacts/timestamp.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';

const CDL: AvroKey = {
  kind: 'avro',
  provider: 'cdl',
  activity: 'harvest',
  start: new Date('2017-02-09T10:44:28Z'),
  schema: 'OriginalRecord.v1',
};
const CDL_KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
const MDL: AvroKey = {
  kind: 'avro',
  provider: 'mdl',
  activity: 'enrichment',
  start: new Date('2017-02-14T15:18:48Z'),
  schema: 'MAP.4_0.MAPRecord.v1',
};
const MDL_KEY = 'mdl/enrichment/20170214/20170214_151848-mdl-MAP.4_0.MAPRecord.v1.avro';
const isInvalid = (error: unknown) => isTidemarkError(error, 'invalid');

describe('the key of an artifact', () => {
  it('A18: is PROVIDER/ACTIVITY/DATE/TIMESTAMP-PROVIDER-SCHEMA.avro, and is parsed into all of it again', () => {
    for (const activity of ACTIVITIES) {
      for (const schema of SCHEMA_IDS) {
        const start = new Date('2026-12-31T23:59:59Z');
        const name = { kind: 'avro', provider: 'a-b-1', activity, start, schema } as const;
        assert.equal(formatKey(name), `a-b-1/${activity}/20261231/20261231_235959-a-b-1-${schema}.avro`);
        assert.deepEqual(parseAvroKey(formatKey(name)), name);
      }
    }
  });

  it("A19: has beside it, in the same folder and with the same stem, the provenance's, and those of the rest of its run", () => {
    const stem = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1';
    assert.equal(formatKey({ kind: 'provenance', of: CDL_KEY }), `${stem}-prov.json`);
    assert.equal(formatKey({ kind: 'summary', of: CDL_KEY }), `${stem}-summary.json`);
    assert.equal(formatKey({ kind: 'errata', of: CDL_KEY }), `${stem}-errata.ndjson`);
    assert.equal(formatKey({ kind: 'claim', of: CDL_KEY }), `${stem}-claim.json`);
    assert.throws(() => formatKey({ kind: 'provenance', of: 'cdl/harvest/x.json' }), isInvalid);
    assert.throws(() => formatKey({ kind: 'provenance', of: '../x.avro' }), isInvalid);
  });

  it('A20: of a plan is PROVIDER/plan/TIMESTAMP/TIMESTAMP-SCHEMA.json', () => {
    const { provider, start } = MDL;
    const key = formatKey({ kind: 'plan', provider, start, schema: 'MAP.3_1.IndexRecord.v1' });
    assert.equal(key, 'mdl/plan/20170214_151848/20170214_151848-MAP.3_1.IndexRecord.v1.json');
    assert.throws(() => formatKey({ kind: 'plan', provider, start, schema: 'a/b' }), isInvalid);
    assert.throws(() => formatKey({ kind: 'plan', provider: 'A', start, schema: 'a' }), isInvalid);
  });

  it('A21: has the time as YYYYMMDD_HHMMSS and the date as YYYYMMDD, in UTC', () => {
    const time = new Date('2017-02-09T23:44:28.999-05:00');
    assert.equal(formatTimestamp(time), '20170210_044428');
    assert.equal(formatDate(time), '20170210');
    assert.deepEqual(parseTimestamp('20170210_044428'), new Date('2017-02-10T04:44:28Z'));
    for (const text of [
      '20170230_000000',
      '20170101_240000',
      '20170101_006000',
      '2017-01-01',
      '20170101_0000000',
      '',
    ]) {
      assert.equal(parseTimestamp(text), undefined, text);
    }
  });

  it('A23: of the example of a plan comes out exactly, but for the slash before it', () => {
    const { provider, start } = CDL;
    const key = formatKey({ kind: 'plan', provider, start, schema: 'MappedRecord' });
    assert.equal(`/${key}`, '/cdl/plan/20170209_104428/20170209_104428-MappedRecord.json');
  });

  it('A24: of the example of a harvest comes out exactly, and is read with the slash before it', () => {
    assert.equal(`/${formatKey(CDL)}`, '/cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro');
    assert.deepEqual(parseAvroKey(`/${CDL_KEY}`), CDL);
  });

  it('A25: of the example of an enrichment comes out exactly, and is read with the slash before it', () => {
    assert.equal(`/${formatKey(MDL)}`, '/mdl/enrichment/20170214/20170214_151848-mdl-MAP.4_0.MAPRecord.v1.avro');
    assert.deepEqual(parseAvroKey(`/${MDL_KEY}`), MDL);
  });

  it("A26: names the schema without la.dp.avro., and knows no other schema's name", () => {
    for (const schema of ['OriginalRecord.v1', 'MAP.4_0.MAPRecord.v1', 'MAP.3_1.IndexRecord.v1'] as const) {
      assert.match(formatKey({ ...CDL, schema }), new RegExp(`-cdl-${schema.replaceAll('.', '\\.')}\\.avro$`));
    }
    for (const schema of ['la.dp.avro.OriginalRecord.v1', 'OriginalRecord', 'OriginalRecord.v2', 'MappedRecord']) {
      assert.equal(parseAvroKey(CDL_KEY.replace('OriginalRecord.v1', schema)), undefined, schema);
    }
  });

  it('A27: has harvest, mapping, enrichment and indexing as activities, and plan as none', () => {
    for (const activity of ['harvest', 'mapping', 'enrichment', 'indexing']) assert.ok(isActivity(activity));
    assert.ok(!isActivity('plan'));
    assert.equal(parseAvroKey(CDL_KEY.replace('/harvest/', '/plan/')), undefined);
  });

  it('A28: reads time, provider and schema from the name of the file alone', () => {
    const { provider, start, schema } = MDL;
    assert.deepEqual(parseFileName('20170214_151848-mdl-MAP.4_0.MAPRecord.v1.avro'), { provider, start, schema });
    assert.deepEqual(parseFileName('20170214_151848-a-b--c-DeletedRecord.v1.avro')?.provider, 'a-b--c');
    assert.equal(parseFileName('20170214_151848-MAP.4_0.MAPRecord.v1.avro'), undefined);
  });

  it('a2: takes a provider of small letters, digits and hyphens', () => {
    for (const provider of ['', 'CDL', 'c d', 'a/b', 'a.b', 'é', 'x'.repeat(64), '..']) {
      assert.throws(() => formatKey({ ...CDL, provider }), isInvalid, provider);
    }
    assert.ok(formatKey({ ...CDL, provider: '9-x' }).startsWith('9-x/harvest/'));
  });

  it('a4: is never written with a slash before it, and taken with one', () => {
    assert.equal(formatKey(CDL), CDL_KEY);
    assert.deepEqual(requireKey(`/${CDL_KEY}`), { key: CDL_KEY, name: CDL });
    assert.equal(parseAvroKey(`//${CDL_KEY}`), undefined);
  });

  it('a8: is read without the folder of the date, as the system that was built has it', () => {
    assert.deepEqual(parseAvroKey('cdl/harvest/20170209_104428-cdl-OriginalRecord.v1.avro'), CDL);
  });

  const NONE = [
    '',
    'cdl',
    'cdl/harvest/20170209/',
    CDL_KEY.replace('.avro', '-prov.json'),
    CDL_KEY.replace('-cdl-', '-mdl-'),
    CDL_KEY.replace('/20170209/', '/20170210/'),
    CDL_KEY.replace('20170209_104428', '20170209_104460'),
    CDL_KEY.replace('harvest', 'harvesting'),
    `x/${CDL_KEY}`,
    `${CDL_KEY}/x`,
    `${CDL_KEY}\n`,
  ];
  for (const text of NONE) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(parseAvroKey(text), undefined);
      assert.throws(() => requireKey(text), isInvalid);
    });
  }
});

describe('a key of any kind', () => {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 }).map((second) => new Date(second * 1000));
  const provider = fc.stringMatching(/^[a-z0-9-]{1,63}$/);
  const numbered = {
    chain: fc.constant('20170209_104428-0123abcd'),
    number: fc.integer({ min: 1, max: 9_999_999_999 }),
  };
  const stamp = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  const avro = fc.record({
    kind: fc.constant('avro' as const),
    provider,
    activity: fc.constantFrom(...ACTIVITIES),
    start: seconds,
    schema: fc.constantFrom(...SCHEMA_IDS),
  });
  const beside = fc.record({
    kind: fc.constantFrom('provenance' as const, 'summary' as const, 'errata' as const, 'claim' as const),
    of: avro.map(formatKey),
  });
  const plan = fc.record({
    kind: fc.constant('plan' as const),
    provider,
    start: seconds,
    schema: fc.stringMatching(/^[A-Za-z0-9._]{1,100}$/),
  });
  const segment = fc.record({ kind: fc.constant('segment' as const), ...numbered });
  const part = fc.record({
    kind: fc.constant('segment-part' as const),
    ...numbered,
    part: fc.constantFrom(...ARCHIVE_PARTS),
    after: stamp,
    through: stamp,
    chance: fc.stringMatching(/^[0-9a-f]{8}$/),
  });

  it('is read as what was written', () => {
    fc.assert(
      fc.property(fc.oneof(avro, beside, plan, segment, part), (key) => {
        assert.deepEqual(parseKey(formatKey(key)), { ...key });
      }),
    );
  });

  it('has the media type of its ending', () => {
    const types = { avro: 'application/avro', json: 'application/json', ndjson: 'application/x-ndjson' };
    fc.assert(
      fc.property(fc.oneof(avro, beside, plan, segment, part), (key) => {
        const ending = formatKey(key).split('.').at(-1) as keyof typeof types;
        assert.equal(mediaTypeOf(key), types[ending]);
      }),
    );
  });

  it('is not read from a text that is none', () => {
    for (const text of [
      '',
      'cdl/harvest/x.json',
      '_log/x/segments/0000000001.json',
      'cdl/plan/x/x-a.json',
      'a/b-prov.json',
    ])
      assert.equal(parseKey(text), undefined, text);
  });
});

describe('the time of a snapshot', () => {
  const TIMES: readonly (readonly [text: string, time: string])[] = [
    ['20170209_104428', '2017-02-09T10:44:28.000Z'],
    ['2017-02-09T10:44:28Z', '2017-02-09T10:44:28.000Z'],
    ['2017-02-09T10:44:28.5+01:00', '2017-02-09T09:44:28.500Z'],
    ['2017-02-09', '2017-02-09T23:59:59.000Z'],
    ['20170209', '2017-02-09T23:59:59.000Z'],
  ];
  for (const [text, time] of TIMES) {
    it(`is ${time} for ${text}`, () => assert.equal(parseSnapshotTime(text).toISOString(), time));
  }

  for (const text of ['', 'yesterday', '2017-02-30', '20170230', '2017-02-09T10:44:28', '20170209_1044']) {
    it(`is not ${JSON.stringify(text)}`, () => assert.throws(() => parseSnapshotTime(text), isInvalid));
  }
});
