import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Which document in which version: two with the same reference have the same bytes. */
export interface DocumentReference {
  /** The folder of its set; `source` for what belongs to none. */
  readonly folder: string;
  readonly name: string;
  readonly version: number;
  /** Whatever else its bytes depend on: URIs, settings. */
  readonly fingerprint: string;
}

/** The path of a document's record below the cache's folder. */
export function recordPath({ folder, name, version, fingerprint }: DocumentReference): string {
  return join(folder, `${name}@${version}-${fingerprint}.json`);
}

export function isRecord(file: string): boolean {
  return file.includes('@');
}

export function versionOf(record: string): number {
  return Number(record.slice(record.lastIndexOf('@') + 1).split('-')[0]);
}

/** What the versions of a document have in common. */
export function versionless({ folder, name }: Pick<DocumentReference, 'folder' | 'name'>): string {
  return `${folder}/${name}`;
}

export function versionlessOf(record: string): string {
  const file = basename(record);
  return versionless({ folder: basename(dirname(record)), name: file.slice(0, file.indexOf('@')) });
}

/** Whether a record is of an earlier version of a document that depends on the same URIs and settings. */
export function isEarlier(record: string, { version, fingerprint }: DocumentReference): boolean {
  return versionOf(record) < version && record.endsWith(`-${fingerprint}.json`);
}

/** A short digest of whatever a document depends on besides its version. */
export function fingerprint(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10);
}
