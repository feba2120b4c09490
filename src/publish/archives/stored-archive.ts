import { formatStamp, type Stamp } from '../../core/stamp.ts';
import type { CatalogDocument } from '../../stores/catalog.ts';
import { documentOfSet } from '../../stores/document-of-set.ts';

/** A Resource List of an earlier time. */
export interface ArchivedList {
  /** The name of its manifest in the artifact store. */
  readonly name: string;
  /** Boundary of the list: it contains every change up to here, and no other. */
  readonly at: Stamp;
  /** Time when the list was complete. */
  readonly completed: Stamp;
  readonly pages: number;
  readonly resources: number;
}

/** A Resource Dump of an earlier time, with the packages that it had then. */
export interface ArchivedDump {
  /** The name of the artifact that lists its packages. */
  readonly name: string;
  readonly at: Stamp;
  readonly completed: Stamp;
}

/** The document of the catalog about the archive of a set. */
export interface StoredArchive {
  /** Epoch of the set: lists of an earlier epoch have wrong URIs. */
  readonly epoch: number;
  /** Oldest first. */
  readonly lists: readonly ArchivedList[];
  /** Oldest first; absent before the first dump. */
  readonly dumps?: readonly ArchivedDump[];
  /** The time of the newest removed list. */
  readonly removedThrough?: Stamp | undefined;
  /** Completion time of the newest removed dump. */
  readonly removedDumpsThrough?: Stamp | undefined;
}

export const { read: readArchive, put: putArchive } = documentOfSet<StoredArchive>('list-archive');

/** The archive in an epoch; empty when the document belongs to an earlier one. */
export function archiveIn(document: CatalogDocument<StoredArchive> | undefined, epoch: number): StoredArchive {
  return document?.body.epoch === epoch ? document.body : { epoch, lists: [] };
}

/** A boundary as in addresses of archived documents, such as 20261123T020000123457Z. */
export function timeName(at: Stamp): string {
  return formatStamp(at).replace(/[-:.]/g, '');
}
