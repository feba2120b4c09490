import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type FinishedRun, killTidemarks, runTidemark } from '../support/run-tidemark.ts';

describe('tidemark verify', function () {
  this.timeout(60_000);
  let cwd: string;
  let files: string;

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'tidemark-verify-'));
    files = join(cwd, 'files');
    mkdirSync(files);
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) writeFileSync(join(files, name), name);
    await tidemark('sets add files --root files');
    await tidemark('scan files');
    rmSync(join(files, 'd.txt'));
    await tidemark('scan files');
  });

  afterEach(async () => {
    await killTidemarks();
    rmSync(cwd, { recursive: true });
  });

  it('finds no difference when state, log and folder are the same', async () => {
    const { stdout, exitCode } = await tidemark('verify files --root');

    assert.equal(stdout, 'files: no difference in 5 changes, 3 resources, 1 tombstone, 3 files.\n');
    assert.equal(exitCode, 0);
  });

  it('finds what is missing, extra and differing in the folder', async () => {
    rmSync(join(files, 'a.txt'));
    writeFileSync(join(files, 'b.txt'), 'B.txt');
    writeFileSync(join(files, 'new.txt'), '');

    const { stdout, exitCode } = await tidemark('verify files --root --json');

    const { equal, differences } = JSON.parse(stdout);
    const found = differences.first.map(({ kind, key }: { kind: string; key: string }) => [kind, key]);
    assert.deepEqual(found, [
      ['missing', '/a.txt'],
      ['differing', '/b.txt'],
      ['extra', '/new.txt'],
    ]);
    assert.deepEqual([equal, differences.total, exitCode], [false, 3, 1]);
    assert.equal((await tidemark('verify files')).exitCode, 0);
  });

  const TAMPERED: readonly (readonly [what: string, sql: string, found: RegExp])[] = [
    [
      'a state with other contents',
      `UPDATE resources SET state = '{"length":9}' WHERE key = '/a.txt'`,
      /^state: \/a\.txt .* says/m,
    ],
    ['a state that is gone', `DELETE FROM resources WHERE key = '/a.txt'`, /^state: \/a\.txt .* left no state/m],
    [
      'a state older than its change',
      `UPDATE resources SET stamp = 2 WHERE key = '/a.txt'`,
      /^state: \/a\.txt .* is newer than its state/m,
    ],
    [
      'a state newer than its change',
      `UPDATE resources SET stamp = stamp + 200 WHERE key = '/a.txt'`,
      /^count: last changes in the log/m,
    ],
    [
      'a state without a change',
      `INSERT INTO resources SELECT set_id, '/x', stamp, created, weight, state FROM resources LIMIT 1`,
      /^count: last changes/m,
    ],
    ['a deleted resource that is back', `UPDATE resources SET state = '{}' WHERE key = '/d.txt'`, /^state: \/d\.txt/m],
    ['a change that is lost', `DELETE FROM changes WHERE key = '/a.txt'`, /^count: /m],
    ['a deletion with a state', `UPDATE changes SET state = '{}' WHERE kind = 3`, /^state: \/d\.txt .* does not fit/m],
    ['a summary that counts wrongly', 'UPDATE summaries SET resources = 7', /^count: .* by the summary: 3 and 7/m],
  ];
  for (const [what, sql, found] of TAMPERED) {
    it(`finds ${what}`, async () => {
      tamper(sql);

      const { stdout, exitCode } = await tidemark('verify files');

      assert.match(stdout, found);
      assert.match(stdout, /^files: \d+ differences? in /m);
      assert.equal(exitCode, 1);
    });
  }

  it('needs a root to compare with one', async () => {
    await tidemark('sets add records --url-prefix https://example.org/records/');

    const { stderr, exitCode } = await tidemark('verify records --root');
    assert.match(stderr, /has no root to compare with/);
    assert.equal(exitCode, 2);
  });

  function tamper(sql: string): void {
    const database = new DatabaseSync(join(cwd, 'data/tidemark.db'));
    try {
      assert.notEqual(database.prepare(sql).run().changes, 0);
    } finally {
      database.close();
    }
  }

  function tidemark(args: string): Promise<FinishedRun> {
    return runTidemark(args.split(' '), { cwd });
  }
});
