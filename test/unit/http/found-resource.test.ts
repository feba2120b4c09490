import assert from 'node:assert/strict';
import { ofState } from '../../../src/http/routes/found-resource.ts';

const MARC = { mime: 'application/marc', suffix: '.mrc', of: 'application/marc' };
const XML = { mime: 'application/marcxml+xml', suffix: '.xml', of: 'application/marc' };
const TABLE = { mime: 'text/csv', suffix: '.csv', of: 'text/csv' };
const ANY = { mime: 'text/plain', suffix: '.txt' };

describe('The representations of a resource', () => {
  it('are those of its media type, and those of all', () => {
    const all = [MARC, XML, TABLE, ANY];
    assert.deepEqual(ofState(all, { mime: 'application/marc' }), [MARC, XML, ANY]);
    assert.deepEqual(ofState(all, { mime: 'text/csv' }), [TABLE, ANY]);
    assert.deepEqual(ofState(all, {}), [ANY]);
  });
});
