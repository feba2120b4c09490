import { Readable } from 'node:stream';
import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { RecordReader } from '../../../records/digests/record-reader.ts';
import type { Contents } from '../../contents.ts';

/** The bytes of the records of artifacts. Closing it closes the store. */
export function recordContents(artifacts: ArtifactStore): Contents {
  const reader = new RecordReader(artifacts);
  return {
    async open({ state: { record, hashes } }) {
      const digest = hashes?.['sha-256'];
      if (record === undefined || digest === undefined) return undefined;
      const { document } = await reader.read(record, digest);
      return {
        length: document.length,
        bytes: document,
        stream: () => Readable.from([document]),
        async close() {},
      };
    },
    async requireThere() {},
    close: () => artifacts.close(),
  };
}
