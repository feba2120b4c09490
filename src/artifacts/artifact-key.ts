import type { ObjectKey } from './artifact-store.ts';
import { type AvroKey, formatAvroKey, parseAvroKey } from './keys/avro-key.ts';
import { type DatasetKey, formatDatasetKey, parseDatasetKey } from './keys/dataset-keys.ts';
import { formatLogKey, type LogKey, parseLogKey } from './keys/log-keys.ts';
import {
  type BesideKey,
  formatBesideKey,
  formatPlanKey,
  type PlanKey,
  parseBesideKey,
  parsePlanKey,
} from './keys/run-keys.ts';
import { formatSetKey, parseSetKey, type SetKey } from './keys/set-keys.ts';
import { formatStreamKey, parseStreamKey, type StreamKey } from './keys/stream-keys.ts';
import {
  formatPartKey,
  formatUploadKey,
  parsePartKey,
  parseUploadKey,
  type UploadedPartKey,
  type UploadKey,
} from './keys/upload-keys.ts';
import { isPlainKey } from './plain-key.ts';

/**
 * Everything that this program stores as artifacts: `formatKey` names it, `mediaTypeOf` gives its media type. Artifacts
 * are immutable. Each file of `keys/` has the keys of one subject: their parts, their text, and their parser.
 */
export type ArtifactKey =
  | AvroKey
  | BesideKey
  | PlanKey
  | LogKey
  | SetKey
  | UploadKey
  | UploadedPartKey
  | StreamKey
  | DatasetKey;

/**
 * Formats a key as stores use it.
 * @throws TidemarkError `invalid` for an invalid provider or schema
 */
export function formatKey(key: ArtifactKey): ObjectKey {
  switch (key.kind) {
    case 'avro':
      return formatAvroKey(key);
    case 'provenance':
    case 'summary':
    case 'errata':
    case 'claim':
      return formatBesideKey(key);
    case 'plan':
      return formatPlanKey(key);
    case 'segment':
    case 'segment-part':
      return formatLogKey(key);
    case 'package':
    case 'kept-list':
    case 'kept-dump':
    case 'kept-page':
    case 'change-package':
    case 'version':
    case 'version-pack':
      return formatSetKey(key);
    case 'uploaded-file':
      return formatUploadKey(key);
    case 'uploaded-part':
      return formatPartKey(key);
    case 'stream-records':
    case 'upload-errata':
    case 'stream-dump':
      return formatStreamKey(key);
    case 'dataset-file':
    case 'dataset-warc':
    case 'dataset-manifest':
      return formatDatasetKey(key);
  }
}

export function mediaTypeOf({ kind }: ArtifactKey): string {
  switch (kind) {
    case 'avro':
    case 'stream-records':
    case 'segment-part':
      return 'application/avro';
    case 'package':
    case 'change-package':
    case 'version-pack':
      return 'application/zip';
    case 'kept-page':
      return 'application/gzip';
    case 'version':
    case 'uploaded-file':
    case 'uploaded-part':
    case 'stream-dump':
    case 'dataset-file':
      return 'application/octet-stream';
    case 'dataset-warc':
      return 'application/warc';
    case 'errata':
    case 'upload-errata':
      return 'application/x-ndjson';
    case 'provenance':
    case 'summary':
    case 'claim':
    case 'plan':
    case 'segment':
    case 'kept-list':
    case 'kept-dump':
    case 'dataset-manifest':
      return 'application/json';
  }
}

/** Parses a key of a store; undefined for a key that is not one of this program. */
export function parseKey(text: ObjectKey): ArtifactKey | undefined {
  if (!isPlainKey(text)) return undefined;
  return (
    parseAvroKey(text) ??
    parseBesideKey(text) ??
    parsePlanKey(text) ??
    parseLogKey(text) ??
    parseSetKey(text) ??
    parseUploadKey(text) ??
    parsePartKey(text) ??
    parseStreamKey(text) ??
    parseDatasetKey(text)
  );
}
