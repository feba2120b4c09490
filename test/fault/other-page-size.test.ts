import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { upsert } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';

describeOnEachStore('a page size that is changed while two processes serve the set', (store) => {
  afterEach(closeFaultSources);

  it('gives both the same pages, which hold every resource once', async () => {
    const source = await FaultSource.makeWithPages(store);
    const [one, other] = [await source.open(), await source.open()];
    const { id } = await one.sets.bySlug(SLUG);
    const before = await namesOf(one);
    assert.deepEqual(await namesOf(other), before);
    let resources = 100;
    for (const [pageEntries, changing] of [
      [10, one],
      [50, other],
      [7, other],
    ] as const) {
      await changing.sets.change(SLUG, { pageEntries });
      await other.updater.post([upsert(id, `k${pageEntries}-more`, { length: 1 })]);
      resources += 1;
      const [pages, same] = await Promise.all([one.publishing.publisher.pages(SLUG), namesOf(other)]);
      assert.deepEqual(
        pages.map(({ name }) => name),
        same,
      );
      assert.ok(pages.every(({ entries }) => entries <= pageEntries));
      assert.equal(
        pages.reduce((sum, { entries }) => sum + entries, 0),
        resources,
      );
    }
    for (const name of before)
      assert.ok((await one.publishing.publisher.setDocument({ kind: 'resourceListPage', set: SLUG, name })).digest);
  });
});

async function namesOf({ publishing }: Pick<App, 'publishing'>): Promise<readonly string[]> {
  return (await publishing.publisher.pages(SLUG)).map(({ name }) => name);
}
