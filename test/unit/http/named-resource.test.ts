import assert from 'node:assert/strict';
import { listedPageSoon } from '../../../src/http/request/named-resource.ts';

describe('The page of the Resource List that has a resource', () => {
  it('is not known soon while the pages of a large list are made, and the next request has it', async () => {
    const page = { name: '7', uri: 'https://data.example.org/resourcelist-7.xml' };
    const made = Promise.withResolvers<typeof page>();
    const publisher = { pageOf: () => made.promise };
    assert.equal(await listedPageSoon(publisher, { slug: 'maps', ready: true }, '/a'), undefined);
    made.resolve(page);
    assert.deepEqual(await listedPageSoon(publisher, { slug: 'maps', ready: true }, '/a'), page);
  });
});
