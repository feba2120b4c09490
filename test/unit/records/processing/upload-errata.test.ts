import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { ArtifactStore } from '../../../../src/artifacts/artifact-store.ts';
import { UploadErrata } from '../../../../src/records/processing/upload-errata.ts';

describe('The errata of an upload', () => {
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
    const errata = new UploadErrata(late, { kind: 'upload-errata', ...place });
    await errata.add({ file: 1, path: ['a'], ordinal: 1, offset: 0, reason: 'it is not a record' });
    const abandoned = errata.abandon();
    // An error of the stream that nothing listens to would end the thread here.
    await setImmediate();
    mayBegin.resolve();
    await abandoned;
    await assert.rejects(read!, /the upload cannot be read/);
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
    const errata = new UploadErrata(store, { kind: 'upload-errata', ...place }, 3);
    for (let ordinal = 1; ordinal <= 5; ordinal++) {
      await errata.add({ file: 1, path: ['a'], ordinal, offset: 0, reason: 'it is not a record' });
    }
    await errata.end();

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
    const errata = new UploadErrata(failing, { kind: 'upload-errata', ...place });
    const adding = async () => {
      for (;;) await errata.add({ file: 1, path: ['a'], ordinal: 1, offset: 0, reason: 'x'.repeat(2_000) });
    };
    await assert.rejects(adding(), /the disk is full/);
  });
});
