import assert from 'node:assert/strict';
import { overriding } from '../../src/lib/overriding.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeFaultSources, FaultSource } from '../support/fault-source.ts';

describeOnEachStore('a move to another base URL that is interrupted', (store) => {
  afterEach(closeFaultSources);

  it('is finished when it is asked for again', async () => {
    const source = await FaultSource.makeEmpty(store);
    const { catalog, index, sets } = await source.open();
    await sets.useBaseUrl('http://old.example.org', false);
    for (const slug of ['a', 'b']) await sets.add({ slug });

    let marks = 0;
    const mark = () => (++marks === 5 ? Promise.reject(new Error('the power fails')) : index.mark());
    const interrupted = new SetRegistry(catalog, overriding(index, { mark }));
    await assert.rejects(interrupted.useBaseUrl('http://new.example.org', true), /power/);

    await assert.rejects(sets.useBaseUrl('http://new.example.org', false), { code: 'conflict' });
    await sets.useBaseUrl('http://new.example.org', true);
    assert.deepEqual(
      (await sets.list()).map(({ urlPrefix, epoch }) => [urlPrefix, epoch]),
      ['a', 'b'].map((slug) => [`http://new.example.org/sets/${slug}/resources/`, 2]),
    );
  });
});
