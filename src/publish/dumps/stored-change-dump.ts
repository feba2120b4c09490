import type { Stamp } from '../../core/stamp.ts';
import { documentOfSet } from '../../sets/document-of-set.ts';
import type { ManifestPlace } from './stored-dump.ts';

/** A package of changes: an artifact that never changes. */
export interface ChangePackage {
  /** EPOCH-WINDOW-PART-CHANCE: the last by chance, so that what a killed process left is never in the way. */
  readonly name: string;
  /** It has every change between these boundaries. */
  readonly from: Stamp;
  readonly until: Stamp;
  /** When it was complete, in microseconds since 1970. */
  readonly completed: Stamp;
  readonly changes: number;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  readonly manifest: ManifestPlace;
}

/** What the catalog has of the Change Dump of a set. */
export interface StoredChangeDump {
  /** Of the set: after a move, its URIs are wrong. */
  readonly epoch: number;
  /** Each begins where the one before ends. */
  readonly packages: readonly ChangePackage[];
}

/** The name of the window that a package has changes of: EPOCH-WINDOW. */
export function windowOf({ name }: Pick<ChangePackage, 'name'>): string {
  return name.split('-', 2).join('-');
}

export const { read: readChangeDump, put: putChangeDump } = documentOfSet<StoredChangeDump>('change-dump');
