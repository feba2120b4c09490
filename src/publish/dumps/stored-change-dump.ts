import type { Stamp } from '../../core/stamp.ts';
import { documentOfSet } from '../../stores/document-of-set.ts';
import type { ManifestPlace } from './stored-dump.ts';

/** A package of changes: an artifact that never changes. */
export interface ChangePackage {
  /** EPOCH-WINDOW-PART-RANDOM: the random part avoids conflicts with artifacts of a killed process. */
  readonly name: string;
  /** Boundaries between which the package contains every change. */
  readonly from: Stamp;
  readonly until: Stamp;
  /** Time when it was complete, in microseconds since 1970. */
  readonly completed: Stamp;
  readonly changes: number;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  readonly manifest: ManifestPlace;
}

/** The document of the catalog about the Change Dump of a set. */
interface StoredChangeDump {
  /** Epoch of the set: after a move, URIs of an earlier epoch are wrong. */
  readonly epoch: number;
  /** Each begins where the previous one ends. */
  readonly packages: readonly ChangePackage[];
}

/** The name of the window whose changes a package contains: EPOCH-WINDOW. */
export function windowOf({ name }: Pick<ChangePackage, 'name'>): string {
  return name.split('-', 2).join('-');
}

export const { read: readChangeDump, put: putChangeDump } = documentOfSet<StoredChangeDump>('change-dump');
