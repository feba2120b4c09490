import assert from 'node:assert/strict';
import { openApp } from '../../src/app.ts';
import { parseEvent } from '../../src/ingest/posting.ts';
import { testConfiguration } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('an app that is closed', () => {
  const folder = useTempFolder();

  it('logs the posting that is committed meanwhile', async () => {
    const configuration = testConfiguration(folder.path, {});
    const app = await openApp(configuration);
    await app.sets.useBaseUrl('http://localhost:8080', false);
    const set = await app.sets.add({ slug: 'maps', urlPrefix: 'http://example.org/' });
    const isPosted = Promise.withResolvers<void>();
    const received = app.postings.receive({ set, sender: { kind: 'scan' } }, async (posting) => {
      const location = { value: 'a.tif', type: 'rel_path' };
      const posted = posting.post([parseEvent(1, { location, change: 'created' }, posting)]);
      isPosted.resolve();
      assert.equal((await posted)[0]!.status, 'applied');
    });
    await isPosted.promise;
    await Promise.all([received, app.close()]);

    const again = await openApp(configuration);
    try {
      assert.deepEqual(
        (await again.postings.log.read(set.id, 10)).map(({ applied }) => applied),
        [1],
      );
    } finally {
      await again.close();
    }
  });
});
