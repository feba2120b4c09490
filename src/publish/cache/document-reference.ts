import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Identifies a document in one version: the same reference always means the same bytes. */
export interface DocumentReference {
  /** The folder of its set; `source` for documents of the source. */
  readonly folder: string;
  readonly name: string;
  readonly version: number;
  /** A digest of what else its bytes depend on: URIs, settings. */
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

/** The common part of the references of a document's versions. */
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

/** A short digest of everything that a document depends on besides its version. */
export function fingerprint(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 10);
}
