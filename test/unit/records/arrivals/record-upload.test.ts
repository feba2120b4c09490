import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidemarkError } from '../../../../src/core/errors.ts';
import { recordUpload } from '../../../../src/records/arrivals/record-upload.ts';
import { openStores, type Stores } from '../../../../src/stores/open-stores.ts';

describe('recording an upload', () => {
  let folder: string;
  let stores: Stores;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    stores = await openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') });
  });
  afterEach(async () => {
    await stores.close();
    await rm(folder, { recursive: true });
  });

  it('gives it one number when a write of its own is reported as a conflict, and another upload follows', async () => {
    const { catalog } = stores;
    const upload = (token: string) => ({ organization: 'lane', stream: 'default', files: [], token });
    let isFirst = true;
    const losing = {
      get: catalog.get.bind(catalog),
      latest: catalog.latest.bind(catalog),
      async put(...values: Parameters<typeof catalog.put>) {
        const version = await catalog.put(...values);
        if (!isFirst) return version;
        isFirst = false;
        await recordUpload({ catalog }, upload('other'));
        throw new TidemarkError('conflict', 'the response was lost');
      },
    } as typeof catalog;
    assert.equal((await recordUpload({ catalog: losing }, upload('mine'))).number, 1);
    const recorded = (await catalog.list<{ token: string }>('upload')).map(({ body }) => body.token);
    assert.deepEqual(recorded, ['mine', 'other']);
  });
});
