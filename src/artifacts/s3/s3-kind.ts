import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { S3ClientSettings } from '../../lib/s3/s3-client.ts';
import { isS3, parseS3Location, type S3Location } from '../../lib/s3/s3-location.ts';
import type { ArtifactStoreKind } from '../artifact-store-kind.ts';
import { S3Store } from './s3-store.ts';

interface S3ArtifactLocation {
  readonly kind: 's3';
  readonly place: S3Location;
  readonly settings: S3ClientSettings;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export const S3: ArtifactStoreKind<S3ArtifactLocation> = {
  usage: 's3://BUCKET/PREFIX?endpoint=URL (docs/s3.md)',

  parse(text) {
    return isS3(text) ? { kind: 's3', place: readPlace(text), settings: { timeoutMs: DEFAULT_TIMEOUT_MS } } : undefined;
  },

  configure: (location, { s3TimeoutMs }) => ({ ...location, settings: { timeoutMs: s3TimeoutMs } }),

  waiting: (location, waiting) => ({ ...location, settings: { ...location.settings, waiting } }),

  placeOf: ({ place }) => ({ bucket: place }),

  // The client takes 20 MB in each thread that loads it.
  isLargePerThread: true,

  open: ({ place, settings }) => new S3Store(place, settings),
};

function readPlace(text: string): S3Location {
  try {
    return parseS3Location(text, 'artifacts');
  } catch (error) {
    if (!isTidemarkError(error, 'invalid')) throw error;
    throw new TidemarkError('invalid', `is not a place for artifacts: ${error.message}`);
  }
}
