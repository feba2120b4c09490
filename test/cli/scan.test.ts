import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE } from '../support/each-store.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { Workplace } from '../support/workplace.ts';

describe('tidemark scan', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    mkdirSync(join(place.folder, 'files'));
    for (const path of ['files/a', 'files/b']) write(path, 'damaged');
    await place.run(['sets', 'add', 'files', '--root', 'files']);
  });
  afterEach(() => place.close());

  function write(path: string, content: string): void {
    writeFileSync(join(place.folder, path), content);
    utimesSync(join(place.folder, path), LONG_AGO, LONG_AGO);
  }

  async function scan(): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(['scan', 'files']);
    assert.equal(exitCode, 0, stderr);
    return /\d+ created.*deleted/.exec(stdout)![0];
  }

  it('finds a file that was replaced by one of the same size and time', async () => {
    assert.equal(await scan(), '2 created, 0 updated, 0 deleted');
    // As `rsync --archive --checksum` does.
    write('new', 'correct');
    renameSync(join(place.folder, 'new'), join(place.folder, 'files/a'));
    assert.equal(await scan(), '0 created, 1 updated, 0 deleted');
  });

  it('deletes a file that became a link to itself', async () => {
    await scan();
    rmSync(join(place.folder, 'files/a'));
    symlinkSync('a', join(place.folder, 'files/a'));
    assert.equal(await scan(), '0 created, 0 updated, 1 deleted');
  });

  it('finds a file that was replaced so after an earlier version has scanned', async () => {
    await scan();
    const memory = new DatabaseSync(join(place.folder, 'data/roots/1.db'));
    memory.exec('UPDATE files SET tag = NULL');
    memory.close();
    write('files/a', 'correct');
    assert.equal(await scan(), '0 created, 1 updated, 0 deleted');
  });
});
