import assert from 'node:assert/strict';
import { namingOf } from '../../../../src/records/dumps/stored-stream-dump.ts';

const at = (text: string) => Date.parse(text);

describe('Names of the files of dumps', () => {
  it('are those of POD, and differ between dumps of one kind on one day, in the order of time (136)', () => {
    const dumps = [
      { organization: 'lane', kind: 'delta', at: at('2026-11-23T23:59:59.500Z') },
      { organization: 'lane', kind: 'delta', at: at('2026-11-24T00:00:00Z') },
      { organization: 'lane', kind: 'full', at: at('2026-11-24T00:00:01Z') },
      { organization: 'lane', kind: 'delta', at: at('2026-11-24T15:00:00.250Z') },
      { organization: 'lane', kind: 'delta', at: at('2026-11-24T15:00:01Z') },
    ] as const;
    const names = dumps.map((dump, before) => namingOf(dump, dumps.slice(0, before))('marc21').name);
    assert.deepEqual(names, [
      'lane-2026-11-23-delta-marc21.mrc.gz',
      'lane-2026-11-24-delta-marc21.mrc.gz',
      'lane-2026-11-24-full-marc21.mrc.gz',
      'lane-2026-11-24T150000Z-delta-marc21.mrc.gz',
      'lane-2026-11-24T150001Z-delta-marc21.mrc.gz',
    ]);
    assert.deepEqual(names.toSorted(), names);
  });
});
