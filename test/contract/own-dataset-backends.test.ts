import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { readArtifact } from '../../src/artifacts/open-artifact.ts';
import { openBackends } from '../../src/datasets/backends/open-backends.ts';
import { SMALL_LIMITS } from '../support/archiving-jobs.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { bytesOf, testDatasetBackend } from './dataset-backend.ts';

describeOnEachArtifactStore('datasets', (place) => {
  for (const [name, kind] of [
    ['WARC files', 'web'],
    ['items', 'archiveorg'],
  ] as const) {
    testDatasetBackend(name, async ({ fetcher, scratchFolder }) => {
      const artifacts: ArtifactStore = place.open();
      return {
        backend: openBackends(SMALL_LIMITS, { fetcher, artifacts, scratchFolder })[kind],
        read({ stored }) {
          const { artifact, offset, length } = stored!;
          return bytesOf(readArtifact(artifacts, artifact, { start: offset, length }));
        },
        close: () => artifacts.close(),
      };
    });
  }
});
