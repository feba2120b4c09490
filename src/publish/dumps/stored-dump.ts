import type { Stamp } from '../../core/stamp.ts';
import { documentOfSet } from '../../stores/document-of-set.ts';

/** A package: an artifact that never changes. */
export interface Package {
  /** PAGE-VERSION-PART-RANDOM: the random part avoids conflicts with artifacts of a killed process. */
  readonly name: string;
  readonly page: string;
  /** The newest stamp of the page when it was packed; the package may also contain newer changes. */
  readonly version: Stamp;
  /** A digest of what its manifest depends on besides the log. */
  readonly fingerprint: string;
  /** Every change of its resources up to this boundary is included. */
  readonly at: Stamp;
  /** Time when it was complete, in microseconds since 1970. */
  readonly completed: Stamp;
  readonly resources: number;
  /** Number of resources of the page that could not be packed as listed: the next build packs the page again. */
  readonly missing: number;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  readonly manifest: ManifestPlace;
}

/** The place of the manifest's data in its package. */
export interface ManifestPlace {
  /** Offset of the first byte. */
  readonly offset: number;
  /** Bytes in the package. */
  readonly packed: number;
  /** Bytes of the document; more than in the package when it is deflated. */
  readonly length: number;
}

/** A Resource Dump of a set. */
export interface Dump {
  /** Epoch of the set: after a move, URIs of an earlier epoch are wrong. */
  readonly epoch: number;
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly completed: Stamp;
  /** In the order of their keys. */
  readonly packages: readonly Package[];
}

/** The document of the catalog about the dump of a set. */
export interface StoredDump {
  readonly published?: Dump | undefined;
  /** Complete packages of an unfinished build: the next build need not make them again. */
  readonly made: readonly Package[];
  /** Formerly published packages, which can still be fetched for a day. */
  readonly retired: readonly RetiredPackage[];
}

export interface RetiredPackage extends Package {
  /** Milliseconds since 1970. */
  readonly retired: number;
}

/** Totals of a dump. */
export function dumpTotals({ packages }: Pick<Dump, 'packages'>) {
  const sum = (of: 'resources' | 'missing' | 'length') => packages.reduce((total, one) => total + one[of], 0);
  return { packages: packages.length, resources: sum('resources'), missing: sum('missing'), bytes: sum('length') };
}

export const NO_DUMP: StoredDump = { made: [], retired: [] };

export const { read: readDump, put: putDump } = documentOfSet<StoredDump>('dump');
