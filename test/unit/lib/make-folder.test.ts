import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { makeFolder } from '../../../src/lib/files/make-folder.ts';

describe('making a folder', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'tidemark-'));
  });
  afterEach(() => rmSync(place, { recursive: true }));

  it('makes those above it, and none that is there', () => {
    makeFolder(join(place, 'a', 'b', 'c'));
    makeFolder(join(place, 'a', 'b', 'c'));
    assert.ok(existsSync(join(place, 'a', 'b', 'c')));
  });

  it('says why when it cannot, and does not go round for ever', () => {
    writeFileSync(join(place, 'file'), '');
    for (const folder of [join(place, 'file', 'x'), '/proc/tidemark/x']) {
      assert.throws(
        () => makeFolder(folder),
        (error) => isTidemarkError(error, 'unavailable') && error.message.includes('cannot be made'),
      );
    }
  });
});
