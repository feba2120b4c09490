import assert from 'node:assert/strict';
import { weightInSet } from '../../../src/core/entry-weight.ts';
import type { Link } from '../../../src/core/resource.ts';
import { LinkedSets } from '../../../src/ingest/linked-sets.ts';
import type { EventPoster } from '../../../src/stores/event-poster.ts';
import { upsert } from '../../support/builders.ts';
import { PublishedSets } from '../../support/published-sets.ts';

describe('The events of a set with link rules', () => {
  let sets: PublishedSets;
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());

  const linkedSets = () => {
    const { index, catalog } = sets;
    const updater: EventPoster = { post: (events) => index.commit(events) };
    return new LinkedSets({ updater: { ...updater, later: updater }, index, catalog });
  };
  const weights = async (after: number) => (await sets.index.tail(after, 10)).map(({ weight }) => weight);

  it('weigh as much as their entries with the links to versions, whether they are posted or linked later', async () => {
    const after = await sets.index.mark();
    const { set } = await sets.add({ keepVersions: true, versionsSince: after });
    await linkedSets()
      .posterOf({ ...set, linkRules: ['*.tif canonical https://example.org/{stem}'] })
      .post([upsert(set.id, 'a.tif')]);
    const canonical: Link = { rel: 'canonical', href: 'https://example.org/a' };
    const whole = (...links: readonly Link[]) => weightInSet(set, '/a.tif', { length: 1, links });
    assert.deepEqual(await weights(after), [whole(canonical)]);

    const changed = { ...set, linkRules: ['*.tif collection https://example.org/{stem}'] };
    const relinked = await sets.index.mark();
    await linkedSets().posterOf(changed).relinkAll();
    assert.deepEqual(await weights(relinked), [whole({ rel: 'collection', href: 'https://example.org/a' })]);
  });
});
