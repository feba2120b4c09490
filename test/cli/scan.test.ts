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

  it('escapes control characters of names', async () => {
    const name = 'a\u001b]0;title\u0007\u001b[2J\u009b1m\nscan: 0 problems\r\u202etxt.exe';
    write(`files/${name}`, 'x');
    const { exitCode, stdout, stderr } = await place.run(['scan', 'files']);
    assert.equal(exitCode, 1);
    assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.match(stderr, /^a\\x1b\]0;title\\x07\\x1b\[2J\\x9b1m\\nscan: 0 problems\\x0d\\u202etxt\.exe: its name/m);
    const { stdout: json } = await place.run(['scan', 'files', '--json']);
    assert.equal(JSON.parse(json).problems[0].path, name);

    const missing = await place.run(['sets', 'show', name]);
    assert.doesNotMatch(missing.stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('deletes a file that became a link to itself', async () => {
    await scan();
    rmSync(join(place.folder, 'files/a'));
    symlinkSync('a', join(place.folder, 'files/a'));
    assert.equal(await scan(), '0 created, 0 updated, 1 deleted');
  });

  it('finds such a file also when an earlier version has scanned the folder', async () => {
    await scan();
    const memory = new DatabaseSync(join(place.folder, 'data/roots/1.db'));
    memory.exec('UPDATE files SET tag = NULL');
    memory.close();
    write('files/a', 'correct');
    assert.equal(await scan(), '0 created, 1 updated, 0 deleted');
  });
});
