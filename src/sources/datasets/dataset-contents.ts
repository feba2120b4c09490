import { Readable } from 'node:stream';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { comparedBytes } from '../../artifacts/open-artifact.ts';
import { unlessNotFound } from '../../core/errors.ts';
import type { Contents } from '../contents.ts';

/** The bytes of files that are artifacts, or ranges of them. Closing it closes the store. */
export function datasetContents(artifacts: ArtifactStore): Contents {
  return {
    async open({ state: { record, hashes, length = 0 } }) {
      const sha256 = hashes?.['sha-256'];
      if (record === undefined || sha256 === undefined) return undefined;
      const { artifact: key, offset: start } = record;
      if (length === 0) return { length, stream: () => Readable.from([]), async close() {} };
      const opened = await unlessNotFound(artifacts.get(key, { range: { start, length } }));
      return (
        opened && {
          length,
          stream: () => Readable.from(comparedBytes(opened.body, { key, sha256 }), { objectMode: false }),
          async close() {
            opened.body.destroy();
          },
        }
      );
    },
    async requireThere() {},
    close: () => artifacts.close(),
  };
}
