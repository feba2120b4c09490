import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ArtifactStore } from '../../../../src/artifacts/artifact-store.ts';
import { ErrataWriter } from '../../../../src/records/errata/errata-writer.ts';

describe('The errata of a delivery', () => {
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
    await errata.settle();
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
