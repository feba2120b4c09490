import assert from 'node:assert/strict';
import { isItemName, itemNameOf } from '../../../src/datasets/backends/item-name.ts';

const named = (platformDomain: string, platformId: string, version?: string) => {
  return itemNameOf({ platformName: 'dataverse', platformDomain, platformId, version });
};

describe('the name of an item', () => {
  it('is made from domain, id and version (d15)', () => {
    assert.equal(named('zenodo.org', '1234567'), 'zenodo.org_1234567');
    assert.equal(named('figshare.com', '1234567', '2'), 'figshare.com_1234567_v2');
    assert.match(
      named('dataverse.example', 'doi:10.7910/DVN/CLSFKX', '1.1'),
      /^dataverse\.example_doi-10\.7910-DVN-CLSFKX_v1\.1_[0-9a-f]{8}$/,
    );
  });

  it('is one that archive.org permits, of its own for each identity (d15)', () => {
    const identities = [
      ['a.example', 'b', 'c'],
      ['a.example', 'b_vc'],
      ['a.example_b', 'c'],
      ['a.example', 'b/c'],
      ['a.example', 'b:c'],
      ['a.example', 'é'],
      ['a.example', 'è'],
      ['a.example', 'x'.repeat(300)],
      ['a.example', 'x'.repeat(301)],
      ['-', ''],
    ] as const;
    const names = identities.map(([domain, id, version]) => named(domain, id, version));
    assert.deepEqual(
      names.filter((name) => !isItemName(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length, names.join(' '));
  });

  it('of a dataset that is an item of archive.org is that of the item (d15)', () => {
    const item = { platformName: 'archiveorg', platformDomain: 'archive.org', isArchiveorgItem: true };
    assert.equal(itemNameOf({ ...item, platformId: 'CAT_DATASET' }), 'CAT_DATASET');
  });
});
