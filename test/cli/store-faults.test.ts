import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { killTidemarks, runTidemark } from '../support/run-tidemark.ts';

describe('a store that cannot be used', () => {
  let cwd: string;
  let file: string;

  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'tidemark-store-'));
    file = join(cwd, 'data/tidemark.db');
  });

  afterEach(async () => {
    await killTidemarks();
    rmSync(cwd, { recursive: true });
  });

  it('is reported when the file is not a database', async () => {
    mkdirSync(join(cwd, 'data'));
    writeFileSync(file, 'Once upon a time there was a text file that was not expected here.');

    await isUnavailable(['status'], /tidemark\.db is not an SQLite database: check the setting TIDEMARK_STORE/);
  });

  it('is reported when the file was cut short', async () => {
    await makeStore();
    truncateSync(file, 20_000);

    await isUnavailable(['sets', 'list'], /tidemark\.db is damaged: restore it from a backup/);
  });

  it('is reported when its folder cannot be made', async () => {
    writeFileSync(join(cwd, 'data'), '');

    await isUnavailable(
      ['sets', 'add', 'maps', '--url-prefix', 'https://example.org/'],
      /tidemark\.db cannot be opened/,
    );
  });

  it('is reported when another process keeps its lock for long', async () => {
    await makeStore();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    try {
      await isUnavailable(['sets', 'remove', 'maps'], /tidemark\.db is locked by another process: try again/);
    } finally {
      other.close();
    }
    const { exitCode } = await runTidemark(['sets', 'show', 'maps'], { cwd });
    assert.equal(exitCode, 0);
  });

  it('is reported when it was made by a newer version', async () => {
    await makeStore();
    const other = new DatabaseSync(file);
    other.exec('PRAGMA user_version = 99');
    other.close();

    await isUnavailable(['status'], /99/);
    await isUnavailable(['migrate'], /99/);
  });

  async function makeStore(): Promise<void> {
    const made = await runTidemark(['sets', 'add', 'maps', '--url-prefix', 'https://example.org/maps/'], { cwd });
    assert.equal(made.exitCode, 0, made.stderr);
  }

  async function isUnavailable(args: readonly string[], message: RegExp): Promise<void> {
    const run = await runTidemark(args, { cwd });
    assert.match(run.stderr, /^tidemark: /);
    assert.match(run.stderr, message);
    assert.equal(run.exitCode, 3);
  }
});
