import { createHash } from 'node:crypto';
import type { LogDocument, LogPosition } from '../artifacts/avro/avro-schemas.ts';
import type { Catalog, CatalogKind } from '../stores/catalog.ts';
import type { SourcePosition } from '../stores/change-log.ts';
import type { Digest } from './file-writer.ts';

/**
 * Which documents of the catalog an archive contains, and when they are read. A page directory counts changes, and a
 * set of records has a sync cursor: if they were ahead of the log they would be wrong, so they are read before it. A
 * set is made before its first change, so it is read after; likewise an upload, and its organization after it. The
 * state of an upload is read before: applying it again changes nothing. The cursor by which a set follows the default
 * stream would be behind the log: without it, both are compared. The log of postings may be lost. Subscriptions contain
 * secrets, and subscribers renew them; users sign in again. The archive document is written anew, and only when its
 * last stamp is not ahead of the clock. Artifacts are compared again by a store that is restored.
 */
const READ: Readonly<Record<CatalogKind, 'before' | 'after' | 'never'>> = {
  'page-directory': 'before',
  token: 'before',
  records: 'before',
  dump: 'before',
  'change-dump': 'before',
  'list-archive': 'before',
  removals: 'never',
  'made-links': 'before',
  'upload-state': 'before',
  'activity-run': 'before',
  'harvest-run': 'before',
  'stream-dump': 'before',
  'upload-pause': 'never',
  'upload-messages': 'never',
  followed: 'never',
  'resumable-uploads': 'never',
  subscription: 'never',
  session: 'never',
  delivery: 'never',
  set: 'after',
  source: 'after',
  upload: 'after',
  organization: 'after',
  collection: 'after',
  archive: 'never',
  rebuild: 'never',
  clock: 'never',
  journal: 'never',
  'token-use': 'never',
  'artifact-check': 'never',
  'nsdl-refusal': 'before',
  dataset: 'after',
  'dataset-request': 'after',
  'dataset-sink': 'never',
  scanners: 'never',
};

export const CATALOG_KINDS = Object.keys(READ) as readonly CatalogKind[];

export async function readDocuments(catalog: Catalog, when: 'before' | 'after'): Promise<LogDocument[]> {
  const documents: LogDocument[] = [];
  for (const kind of CATALOG_KINDS) {
    if (READ[kind] !== when) continue;
    for (const { id, body } of await catalog.list<unknown>(kind))
      documents.push({ kind, id, body: JSON.stringify(body) });
  }
  return documents;
}

/** Ascending, so that equal positions have equal digests. */
export function toLogPositions(positions: readonly SourcePosition[]): readonly LogPosition[] {
  return positions
    .map(({ set, source, position }) => ({ set, source, position }))
    .sort((a, b) => a.set - b.set || (a.source < b.source ? -1 : 1));
}

/** The digest of small records. */
export class RecordDigest implements Digest<object> {
  readonly #hash = createHash('sha256');

  add(records: readonly object[]): void {
    for (const record of records) this.#hash.update(`${JSON.stringify(record)}\n`);
  }

  get value(): string {
    return this.#hash.copy().digest('hex');
  }
}

export function digestOf(records: readonly object[]): string {
  const digest = new RecordDigest();
  digest.add(records);
  return digest.value;
}
