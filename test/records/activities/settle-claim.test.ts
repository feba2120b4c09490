import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import { latestArtifact } from '../../../src/artifacts/find-artifacts.ts';
import { formatBesideKey } from '../../../src/artifacts/keys/run-keys.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { settleClaim } from '../../../src/records/runs/settle-claim.ts';
import { allKindsOfItems, HARVEST, harvest, sourceOf, xmlRecords } from '../../support/activity-run.ts';
import { describeOnEachArtifactStore } from '../../support/each-artifact-store.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const { signal } = new AbortController();

describeOnEachArtifactStore('the claim of an earlier attempt of a run', (place) => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
  });
  afterEach(() => store.close());

  it('cannot become an artifact any more, also when that attempt still works', async () => {
    const run = harvest(
      {
        store,
        folder: folder.at('spool'),
        onClaimed: async ({ key }) => assert.equal(await settleClaim(store, key, signal), undefined),
      },
      xmlRecords(10),
    );
    await assert.rejects(run, (error) => isTidemarkError(error, 'conflict'));
    assert.equal(await latestArtifact(store, { provider: 'cdl', activity: 'harvest' }), undefined);
  });

  it('becomes an artifact when its summary was written, with the file of deleted records', async () => {
    const { summary } = await harvest({ store, folder: folder.at('spool') }, allKindsOfItems(10));
    const companion = summary.key.replace('OriginalRecord', 'DeletedRecord');
    for (const key of [summary.key, companion]) {
      await store.delete(formatBesideKey({ kind: 'provenance', of: key }));
    }
    assert.equal(await latestArtifact(store, { provider: 'cdl', activity: 'harvest' }), undefined);

    const settled = await settleClaim(store, summary.key, signal);

    assert.deepEqual([settled?.key, settled?.written], [summary.key, summary.written]);
    const found = { provider: 'cdl', activity: 'harvest' } as const;
    assert.equal((await latestArtifact(store, found))?.key, summary.key);
    assert.equal((await latestArtifact(store, { ...found, schema: 'DeletedRecord.v1' }))?.key, companion);
  });

  it('of a run that was stopped stays without an artifact, and its summary says so', async () => {
    const { summary } = await harvest({ ...HARVEST, store, folder: folder.at('spool'), source: sourceOf([]) }, []);
    assert.equal((await settleClaim(store, summary.key, signal))?.published, false);
    assert.equal(await latestArtifact(store, { provider: 'cdl', activity: 'harvest' }), undefined);
  });
});
