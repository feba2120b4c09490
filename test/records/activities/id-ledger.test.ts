import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { IdLedger, type Superseded, type WrittenPlace } from '../../../src/records/activities/id-ledger.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('the ledger of ids', () => {
  const folder = useTempFolder();

  it('reports every record whose id comes again later, in either file, and no other', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'ž', '\u{1f5fa}', 'a ');
    const entries = fc.array(fc.record({ id, isDeleted: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(entries, async (given) => {
        const found = await supersededOf(given);
        const expected = given.map(({ id }, at) => given.slice(at + 1).some((later) => later.id === id));
        assert.deepEqual(
          placesOf(given).map(({ file, ordinal }) => found.has(file, ordinal)),
          expected,
        );
        assert.equal(found.count, expected.filter(Boolean).length);
      }),
      { numRuns: 60 },
    );
  });

  it('returns the line of what is left out and of what stays', async () => {
    const found = await supersededOf(['a', 'b', 'a', 'a'].map((id) => ({ id, isDeleted: false })));

    assert.deepEqual(found.linesOf('records', 0), { line: 1, kept: 4 });
    assert.deepEqual(found.linesOf('records', 2), { line: 3, kept: 4 });
    assert.equal(found.linesOf('records', 3), undefined);
  });

  it('finds what comes again among more than memory holds, and leaves no file behind', async () => {
    const ledger = new IdLedger(folder.path);
    for (let ordinal = 0; ordinal < 300_000; ordinal++) {
      // Every thousandth id has been there 200,000 records before.
      const number = ordinal >= 200_000 && ordinal % 1000 === 0 ? ordinal - 200_000 : ordinal;
      ledger.add(`oai:${number}`, { file: 'records', ordinal, line: ordinal + 1 });
    }
    const found = ledger.superseded();
    ledger.close();

    assert.equal(found.count, 100);
    assert.deepEqual(found.linesOf('records', 5000), { line: 5001, kept: 205_001 });
    assert.deepEqual([found.has('records', 5000), found.has('records', 5001)], [true, false]);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  interface Given {
    readonly id: string;
    readonly isDeleted: boolean;
  }

  async function supersededOf(given: readonly Given[]): Promise<Superseded> {
    const ledger = new IdLedger(folder.path);
    for (const [at, place] of placesOf(given).entries()) ledger.add(given[at]!.id, place);
    const found = ledger.superseded();
    ledger.close();
    return found;
  }

  function placesOf(given: readonly Given[]): readonly WrittenPlace[] {
    const next = { records: 0, deleted: 0 };
    return given.map(({ isDeleted }, at) => {
      const file = isDeleted ? 'deleted' : 'records';
      return { file, ordinal: next[file]++, line: at + 1 };
    });
  }
});
