import type { ObjectKey } from '../artifact-store.ts';

/** What is stored of a dataset. The catalog says which of it counts: several attempts may run at a time. */
export type DatasetKey = DatasetFileKey | DatasetAttemptKey;

/** A file of an item, or a bundle. */
interface DatasetFileKey {
  readonly kind: 'dataset-file';
  /** The dataset: 32 hexadecimal digits of its identity. */
  readonly folder: string;
  /** Of the file in the manifest, from 1; 0 for the bundle. */
  readonly number: number;
  /** 8 hexadecimal digits, random. */
  readonly attempt: string;
}

/** Its web archive, or its manifest. */
interface DatasetAttemptKey {
  readonly kind: 'dataset-warc' | 'dataset-manifest';
  readonly folder: string;
  readonly attempt: string;
}

/** Each dataset has a folder in it. */
export const DATASETS_FOLDER = '_datasets/';
const FILE = /^_datasets\/([0-9a-f]{32})\/(\d{6})-([0-9a-f]{8})$/;
const OF_ATTEMPT = /^_datasets\/([0-9a-f]{32})\/([0-9a-f]{8})\.(warc|json)$/;
const DIGITS = 6;

export function formatDatasetKey(key: DatasetKey): ObjectKey {
  const folder = `${DATASETS_FOLDER}${key.folder}/`;
  // _datasets/0f1e2d3c4b5a69788796a5b4c3d2e1f0/000001-0f1e2d3c
  if (key.kind === 'dataset-file') return `${folder}${String(key.number).padStart(DIGITS, '0')}-${key.attempt}`;
  // _datasets/0f1e2d3c4b5a69788796a5b4c3d2e1f0/0f1e2d3c.warc
  return `${folder}${key.attempt}.${key.kind === 'dataset-warc' ? 'warc' : 'json'}`;
}

export function parseDatasetKey(text: ObjectKey): DatasetKey | undefined {
  const [, folder, number, attempt] = FILE.exec(text) ?? [];
  if (folder !== undefined) {
    return { kind: 'dataset-file', folder, number: Number(number), attempt: attempt! };
  }
  const [, inFolder, ofAttempt, ending] = OF_ATTEMPT.exec(text) ?? [];
  if (inFolder === undefined) return undefined;
  return { kind: ending === 'warc' ? 'dataset-warc' : 'dataset-manifest', folder: inFolder, attempt: ofAttempt! };
}
