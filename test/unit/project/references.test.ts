import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { references } from '../../../scripts/references.ts';

const all = await references();

describe('The references in docs/', () => {
  for (const { file, page, made } of all) {
    it(`say of ${basename(file.pathname)} what the code says`, () => {
      assert.ok(page === made, 'make them anew: node scripts/make-references.ts');
    });
  }
});
