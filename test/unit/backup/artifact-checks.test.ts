import assert from 'node:assert/strict';
import { ArtifactChecks, dueShares, sharesAfter } from '../../../src/backup/verify/artifact-checks.ts';
import { openSqlite } from '../../../src/stores/sqlite/open-sqlite.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const NIGHT_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 10, 1);

type Shares = Parameters<typeof dueShares>[0];

/** What is stored after some nights, and the number of shares of each night. */
function nights(stored: Shares, days: number, numbers: readonly number[]) {
  let shares = stored;
  const compared = numbers.map((night) => {
    const now = BEGIN + night * NIGHT_MS;
    const due = dueShares(shares, days, now);
    shares = sharesAfter(shares, { began: now, days, artifacts: new Map([...due].map((share) => [share, 1])) });
    return due.size;
  });
  return { shares, compared };
}

describe('The share of a night', () => {
  it('is such that all artifacts are compared within the days, and again and again', () => {
    const { shares, compared } = nights([], 7, [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(compared, [1, 1, 1, 1, 1, 1, 1]);
    assert.deepEqual(new Set(shares.map(({ at }) => at)).size, 7);
    const again = nights(shares, 7, [7, 8, 9, 10, 11, 12, 13]);
    assert.deepEqual(again.compared, [1, 1, 1, 1, 1, 1, 1]);
    assert.ok(again.shares.every(({ at }, number) => at === shares[number]!.at + 7 * NIGHT_MS));
  });

  it('makes up for nights at which nothing was compared', () => {
    const { shares } = nights([], 7, [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(nights(shares, 7, [10, 11, 12, 13]).compared, [4, 1, 1, 1]);
  });

  it('begins anew after the number of days was changed, with no artifact later than it was due', () => {
    const { shares } = nights([], 7, [0, 1, 2, 3, 4, 5, 6]);
    const fewer = nights(shares, 3, [7, 8, 9]);
    assert.equal(fewer.shares.length, 3);
    assert.ok(fewer.shares.every(({ at }) => at >= BEGIN + 7 * NIGHT_MS));
  });
});

describe('What is known of artifacts', () => {
  const folder = useTempFolder();

  it('keeps the damage that another process has recorded since a comparison began', async () => {
    const stores = await openSqlite(folder.at('tidemark.db'), {});
    const checks = new ArtifactChecks(stores.catalog);
    const one = { key: 'a', of: 'a', what: '', problem: '', remedy: '', isDiffering: true };
    const record = (began: number, damaged: readonly (typeof one)[]) =>
      checks.record({ began, days: 1, artifacts: new Map(), damaged, wasCompared: () => true });
    const before = Date.now() - 1000;
    await record(before, [one]);
    await record(before, []);
    assert.deepEqual(await checks.damagedParts('a'), [undefined]);
    await record(Date.now() + 1, []);
    assert.deepEqual(await checks.damagedParts('a'), []);
    await stores.close();
  });
});
