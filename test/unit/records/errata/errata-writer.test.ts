import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ArtifactStore } from '../../../../src/artifacts/artifact-store.ts';
import { FolderStore } from '../../../../src/artifacts/folder/folder-store.ts';
import { ErrataWriter } from '../../../../src/records/errata/errata-writer.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';
import { until } from '../../../support/until.ts';

describe('The errata of a delivery', () => {
  const folder = useTempFolder();

  it('are stored when few come in more than a day, while another process begins to write', async () => {
    const stores = [new FolderStore(folder.path), new FolderStore(folder.path)] as const;
    try {
      await stores[0].put('other/a', [Buffer.from('a')]);
      const of = 'lane/harvest/20261128/20261128_010203-lane-OriginalRecord.v1.avro';
      let isBegun = false;
      const put: ArtifactStore['put'] = (...args) => {
        isBegun = true;
        return stores[0].put(...args);
      };
      const errata = new ErrataWriter({ put }, { kind: 'errata', of });
      errata.add({ id: '1', kind: 'no-id', reason: 'it has no id' });
      await errata.settle();
      const unfinished = folder.at('.unfinished');
      if (isBegun) await until('its file is made', async () => readdirSync(unfinished).length > 0);
      for (const name of readdirSync(unfinished)) utimesSync(`${unfinished}/${name}`, 1_000_000_000, 1_000_000_000);
      await stores[1].put('other/b', [Buffer.from('b')]);
      errata.add({ id: '2', kind: 'no-id', reason: 'it has no id' });
      const stored = await errata.end();
      const lines = await buffer((await stores[0].get(stored!.key)).body);
      assert.equal(lines.toString().trim().split('\n').length, 2);
    } finally {
      for (const store of stores) await store.close();
    }
  });

  it('can be abandoned before the store begins to read them', async () => {
    const mayBegin = Promise.withResolvers<void>();
    let read: Promise<Buffer> | undefined;
    const late: Pick<ArtifactStore, 'put'> = {
      async put(key, body) {
        await mayBegin.promise;
        read = buffer(body as AsyncIterable<Buffer>);
        return { key, length: (await read).length, hashes: { 'sha-256': '' } };
      },
    };
    const place = { organization: 'lane', stream: 'main', number: 1, id: '0'.repeat(32) };
    const errata = new ErrataWriter(late, { kind: 'upload-errata', ...place });
    errata.add({ file: 1, path: ['a'], ordinal: 1, offset: 0, reason: 'it is not a record' });
    errata.end().catch(() => {});
    const abandoned = errata.abandon();
    // An error of the stream that nothing listens to would end the thread here.
    await setImmediate();
    mayBegin.resolve();
    await abandoned;
    await assert.rejects(read!, /the delivery cannot be read/);
  });

  it('are listed up to a limit', async () => {
    let stored = '';
    const store: Pick<ArtifactStore, 'put'> = {
      async put(key, body) {
        stored = (await buffer(body as AsyncIterable<Buffer>)).toString();
        return { key, length: stored.length, hashes: { 'sha-256': '' } };
      },
    };
    const place = { organization: 'lane', stream: 'main', number: 1, id: '0'.repeat(32) };
    const errata = new ErrataWriter(store, { kind: 'upload-errata', ...place }, { mostListed: 3 });
    for (let ordinal = 1; ordinal <= 5; ordinal++) {
      errata.add({ file: 1, path: ['a'], ordinal, offset: 0, reason: 'it is not a record' });
    }
    await errata.end();
    assert.deepEqual([errata.count, errata.counts.errors], [5, 5]);

    const listed = stored.split('\n').filter(Boolean);
    assert.deepEqual(
      listed.map((line) => JSON.parse(line).ordinal),
      [1, 2, 3],
    );
  });

  it('report the failure of the store to the one who waits for room', async () => {
    const failing: Pick<ArtifactStore, 'put'> = {
      async put() {
        await setImmediate();
        throw new Error('the disk is full');
      },
    };
    const place = { organization: 'lane', stream: 'main', number: 1, id: '0'.repeat(32) };
    const errata = new ErrataWriter(failing, { kind: 'upload-errata', ...place });
    const adding = async () => {
      for (;;) {
        errata.add({ file: 1, path: ['a'], ordinal: 1, offset: 0, reason: 'x'.repeat(2_000) });
        await errata.settle();
      }
    };
    await assert.rejects(adding(), /the disk is full/);
  });
});
