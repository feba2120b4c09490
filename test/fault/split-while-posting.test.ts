import assert from 'node:assert/strict';
import { LogTail } from '../../src/publish/pages/log-tail.ts';
import { SetPublication } from '../../src/publish/pages/set-publication.ts';
import { upsert } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';

describeOnEachStore('a page that is split while changes come in', (store) => {
  afterEach(closeFaultSources);

  it('gives the other pages its own time, which the index has for all', async () => {
    const source = await FaultSource.makeWithPages(store);
    const { index, catalog, sets } = await source.open();
    const set = await sets.bySlug(SLUG);
    const overflow = Array.from({ length: 20 }, (_, at) => upsert(set.id, `k0-${at}`));
    let surveys = 0;
    const publication = new SetPublication(set, {
      index,
      catalog,
      tail: new LogTail(index),
      async survey(...asked) {
        // One change in the page that is surveyed, and then one in another page: both are committed before the survey
        // begins.
        if (++surveys === 1) await index.commit([upsert(set.id, 'k96'), upsert(set.id, 'k0-0', { length: 2 })]);
        return index.survey(...asked);
      },
    });
    await publication.settled(set, () => {});
    await index.commit(overflow);
    const versions = await publication.settled(set, ({ pages }) => pages.map(({ version }) => version));

    assert.ok(surveys > 0, 'a page is split');
    const { lastChange } = await index.summary(set.id);
    const newest = Math.max(...versions);
    assert.equal(newest, lastChange);
    // The change of k96 has the stamp before.
    assert.ok(versions.includes(newest - 2), 'the page of k96 is older than the index says');
    await publication.close();
  });
});
