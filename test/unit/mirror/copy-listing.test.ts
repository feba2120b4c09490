import assert from 'node:assert/strict';
import { CopyListing } from '../../../src/client/mirror/state/copy-listing.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('CopyListing', () => {
  const place = useTempFolder();

  it('says what is wrong with a state that cannot be read', () => {
    place.write('.tidemark-mirror.db', 'no database'.repeat(100));
    assert.throws(
      () => new CopyListing(place.path),
      (error) => isTidemarkError(error, 'unavailable') && /is not an SQLite database: remove it/.test(error.message),
    );
  });
});
