import { formatStamp, type Stamp } from '../../core/stamp.ts';
import { documentOfSet } from '../../sets/document-of-set.ts';
import type { CatalogDocument } from '../../stores/catalog.ts';

/** A Resource List of an earlier time. */
export interface ArchivedList {
  /** The name of its manifest in the artifact store. */
  readonly name: string;
  /** It has every change up to this boundary, and no other. */
  readonly at: Stamp;
  /** When it was complete. */
  readonly completed: Stamp;
  readonly pages: number;
  readonly resources: number;
}

/** A Resource Dump of an earlier time. Its packages are those that it had then. */
export interface ArchivedDump {
  /** The name of the artifact that lists its packages. */
  readonly name: string;
  readonly at: Stamp;
  readonly completed: Stamp;
}

/** What the catalog has of the archived Resource Lists of a set. */
export interface StoredArchive {
  /** Of the set: the lists of an earlier one have wrong URIs. */
  readonly epoch: number;
  /** The oldest first. */
  readonly lists: readonly ArchivedList[];
  /** The oldest first; absent before the first. */
  readonly dumps?: readonly ArchivedDump[];
  /** The time of the newest list that was removed. */
  readonly removedThrough?: Stamp | undefined;
  /** When the newest dump that was removed was complete. */
  readonly removedDumpsThrough?: Stamp | undefined;
}

export const { read: readArchive, put: putArchive } = documentOfSet<StoredArchive>('list-archive');

/** The archive of an epoch; an empty one when the document is of an earlier one. */
export function archiveIn(document: CatalogDocument<StoredArchive> | undefined, epoch: number): StoredArchive {
  return document?.body.epoch === epoch ? document.body : { epoch, lists: [] };
}

/** A boundary as addresses of archived documents have it, such as 20261123T020000123457Z. */
export function timeName(at: Stamp): string {
  return formatStamp(at).replace(/[-:.]/g, '');
}
