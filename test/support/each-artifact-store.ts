import type { Suite } from 'mocha';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import type { ArtifactLocation } from '../../src/artifacts/open-artifacts.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import type { ItOnce } from './each-store.ts';
import { environmentOf, rootOf, useBucket, useKeys, useS3 } from './s3.ts';
import { useTempFolder } from './temp-folder.ts';

/** A place for artifacts, empty for each test; its properties are there while a test runs. */
export interface ArtifactPlace {
  /** As a setting has it. */
  readonly text: string;
  readonly location: ArtifactLocation;
  /** What gives a process access to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The caller that opens it closes it. */
  open(): ArtifactStore;
}

/**
 * Runs the same tests with artifacts in a folder and in a bucket. Where there is no S3 server, they are skipped there
 * with the reason.
 */
export function describeOnEachArtifactStore(
  title: string,
  tests: (this: Suite, place: ArtifactPlace, itOnce: ItOnce) => void,
): void {
  describe(`${title} (in a folder)`, function () {
    const folder = useTempFolder();
    const location = (): ArtifactLocation => ({ kind: 'folder', folder: folder.at('artifacts') });
    const text = () => `file:${folder.at('artifacts')}`;
    tests.call(
      this,
      placeOf(location, text, () => ({})),
      it,
    );
  });
  describe(`${title} (in a bucket)`, function () {
    const s3 = useS3();
    useKeys(s3);
    const bucket = useBucket(s3);
    const text = () => rootOf(s3, bucket.name, 'ingest');
    const location = (): ArtifactLocation => ({
      kind: 's3',
      place: parseS3Location(text(), 'artifacts'),
      settings: { timeoutMs: 60_000 },
    });
    tests.call(
      this,
      placeOf(location, text, () => environmentOf(s3)),
      () => {},
    );
  });
}

function placeOf(
  location: () => ArtifactLocation,
  text: () => string,
  environment: () => Readonly<Record<string, string>>,
): ArtifactPlace {
  return {
    get text() {
      return text();
    },
    get location() {
      return location();
    },
    get environment() {
      return environment();
    },
    open: () => openArtifacts(location()),
  };
}
