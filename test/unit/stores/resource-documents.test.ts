import assert from 'node:assert/strict';
import { stateFields, toState } from '../../../src/stores/elasticsearch/resource-documents.ts';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const SHA_256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('the documents of resources', () => {
  for (const hashes of [{ 'sha-256': SHA_256, md5: MD5 }, { md5: MD5 }, { 'sha-256': SHA_256 }, {}]) {
    it(`contain each digest once: ${Object.keys(hashes).join(' and ') || 'none'}`, () => {
      const fields = stateFields('/a', { hashes });
      for (const digest of Object.values(hashes)) assert.equal(fields.split(digest).length, 2);
      assert.deepEqual(toState(JSON.parse(`{${fields}}`)).hashes ?? {}, hashes);
    });
  }

  it('are read as earlier versions have written them, with the MD5 in both fields', () => {
    const state = toState({ md5: MD5, hash: [`sha-256:${SHA_256}`, `md5:${MD5}`] });
    assert.equal(JSON.stringify(state), JSON.stringify({ hashes: { 'sha-256': SHA_256, md5: MD5 } }));
  });
});
