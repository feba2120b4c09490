import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../../src/datasets/archiving.ts';
import { IngestFailure } from '../../src/datasets/ingest-failure.ts';
import type { PlatformFile } from '../../src/datasets/manifest.ts';
import { archivingJob, type ServedFiles, useServedFiles } from '../support/archiving-jobs.ts';
import { contentOf } from '../support/dataset-platforms.ts';

/** A backend, and what it has stored. */
export interface BackendUnderTest {
  readonly backend: DatasetBackend;
  /** The bytes of a copy that is durable, as a reader of what is published gets them. */
  read(copy: StoredCopy): Promise<Buffer>;
  close?(): Promise<void>;
}

/** Holds a backend of datasets to the promises of its port. @param open opens it anew, as another process does */
export function testDatasetBackend(name: string, open: (served: ServedFiles) => Promise<BackendUnderTest>): void {
  describe(`${name} as backend of datasets`, () => {
    let under: BackendUnderTest;
    let session: BackendSession | undefined;

    // Before what is served is closed: hooks run in this order.
    afterEach(async () => {
      await session?.abandon();
      session = undefined;
      await under.close?.();
      assert.deepEqual(served.leftScratchFiles(), []);
    });
    const served = useServedFiles();
    beforeEach(async () => {
      under = await open(served);
    });

    async function begin(files: readonly PlatformFile[], changes: Partial<ArchivingJob> = {}): Promise<BackendSession> {
      session = await under.backend.open(archivingJob(files, { strategy: strategyOf(under.backend), ...changes }));
      return session;
    }

    it('stores several files at the same time, each with its size, hashes and bytes (D25)', async () => {
      const names = ['a.csv', 'folder/b.bin', 'empty.txt', 'é.txt'];
      const sizes = [1000, 300_000, 0, 1];
      const files = names.map((one, at) => served.file({ name: one, size: sizes[at]! }));
      const storing = await begin(files);
      const counted = files.map(() => 0);
      const copies = await Promise.all(
        files.map((file, at) => storing.store(file, at + 1, (count) => (counted[at]! += count))),
      );
      const finished = await storing.finish();

      assert.deepEqual([...finished.keys()].sort(), [1, 2, 3, 4]);
      assert.deepEqual(counted, sizes);
      for (const [at, one] of names.entries()) {
        const bytes = contentOf(one, sizes[at]!);
        const copy = finished.get(at + 1)!;
        assert.deepEqual([copies[at]!.size, copies[at]!.hashes], [bytes.length, hashesOf(bytes)]);
        assert.deepEqual([copy.number, copy.size, copy.hashes], [at + 1, bytes.length, hashesOf(bytes)]);
        assert.match(copy.terminalDt!, /^\d{14}$/);
        assert.ok((await under.read(copy)).equals(bytes), one);
      }
    });

    it('computes other digests that the platform states', async () => {
      const bytes = contentOf('a.csv');
      const hashes = [
        { algorithm: 'sha512', digest: 'not that' },
        { algorithm: 'crc-of-theirs', digest: '0' },
      ];
      const file = served.file({ name: 'a.csv' }, { hashes });
      const copy = await (await begin([file])).store(file, 1, () => {});

      assert.deepEqual(copy.otherHashes, { sha512: hash('sha512', bytes) });
    });

    it('takes over what an attempt before has stored, and requests nothing', async () => {
      const files = [served.file({ name: 'a.csv' }), served.file({ name: 'b.csv', size: 70_000 })];
      const first = await begin(files);
      for (const [at, file] of files.entries()) await first.store(file, at + 1, () => {});
      await first.finish();
      const requested = served.platforms.fileRequests.length;

      const second = await begin(files);
      for (const [at, file] of files.entries()) {
        assert.deepEqual((await second.existing(file, at + 1))?.hashes, hashesOf(contentOf(file.path, file.size)));
      }
      const copies = await second.finish();

      assert.ok((await under.read(copies.get(2)!)).equals(contentOf('b.csv', 70_000)));
      assert.equal(served.platforms.fileRequests.length, requested);
    });

    it('does not take over what differs from what the platform says', async () => {
      const file = served.file({ name: 'a.csv' });
      const first = await begin([file]);
      await first.store(file, 1, () => {});
      await first.finish();

      const second = await begin([file]);
      const other = { hashes: [{ algorithm: 'md5', digest: hash('md5', 'other') }] };
      assert.equal(await second.existing({ ...file, ...other }, 1), undefined);
      assert.equal(await second.existing({ ...file, size: 999, hashes: [] }, 1), undefined);
      assert.equal(await second.existing(served.file({ name: 'never.csv' }), 2), undefined);
    });

    it('does not have a copy that was discarded', async () => {
      const hashes = [{ algorithm: 'md5', digest: hash('md5', 'other') }];
      const files = [served.file({ name: 'a.csv' }), served.file({ name: 'b.csv' }, { hashes })];
      const storing = await begin(files);
      await storing.store(files[0]!, 1, () => {});
      await storing.discard(await storing.store(files[1]!, 2, () => {}));

      assert.deepEqual([...(await storing.finish()).keys()], [1]);
      assert.equal(await (await begin(files)).existing(files[1]!, 2), undefined);
    });

    it('rejects a file that cannot be fetched, and stores the others', async () => {
      const fault = { name: 'missing' } as const;
      const files = [served.file({ name: 'a.csv' }), served.file({ name: 'b.csv', fault })];
      const storing = await begin(files);
      const [stored, failed] = await Promise.allSettled(files.map((file, at) => storing.store(file, at + 1, () => {})));

      assert.equal(stored!.status, 'fulfilled');
      assert.ok(failed?.status === 'rejected' && failed.reason instanceof IngestFailure);
      assert.deepEqual([...(await storing.finish()).keys()], [1]);
    });

    it('lets the bytes of a copy be read by ranges until it is finished', async () => {
      const file = served.file({ name: 'files.zip', size: 200_000 }, { size: undefined, hashes: [] });
      const storing = await begin([file]);
      const { read } = await storing.store(file, 0, () => {});

      assert.ok((await bytesOf(read!(70_000, 1000))).equals(contentOf('files.zip', 200_000).subarray(70_000, 71_000)));
    });

    it('stops when the signal is aborted', async () => {
      const reason = new Error('enough');
      const stop = new AbortController();
      const file = served.file({ name: 'endless.bin', fault: { name: 'endless' } }, { size: 10 ** 9, hashes: [] });
      const storing = await begin([file], { signal: stop.signal });

      await assert.rejects(
        storing.store(file, 1, () => stop.abort(reason)),
        reason,
      );
    });
  });
}

const strategyOf = ({ kind }: DatasetBackend) => `${kind}-fileset` as const;

function hashesOf(bytes: Buffer) {
  return { md5: hash('md5', bytes), 'sha-1': hash('sha1', bytes), 'sha-256': hash('sha256', bytes) };
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read);
}
