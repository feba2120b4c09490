import type { Stamp } from '../../core/stamp.ts';
import { documentOfSet } from '../../sets/document-of-set.ts';

/** A package: an artifact that never changes. */
export interface Package {
  /** PAGE-VERSION-PART-CHANCE: the last by chance, so that what a killed process left is never in the way. */
  readonly name: string;
  readonly page: string;
  /** The newest stamp of the page when it was packed; newer changes may be in it, too. */
  readonly version: Stamp;
  /** The digest of what its manifest depends on besides the log. */
  readonly fingerprint: string;
  /** Every change of its resources up to this boundary is included. */
  readonly at: Stamp;
  /** When it was complete, in microseconds since 1970. */
  readonly completed: Stamp;
  readonly resources: number;
  /** Resources that the page lists and that could not be packed as they are listed: the next build packs it again. */
  readonly missing: number;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  readonly manifest: ManifestPlace;
}

/** Where the data of the manifest is in its package. */
export interface ManifestPlace {
  /** The first byte. */
  readonly offset: number;
  /** Bytes in the package. */
  readonly packed: number;
  /** Bytes of the document; more than in the package when it is deflated. */
  readonly length: number;
}

/** A Resource Dump of a set. */
export interface Dump {
  /** Of the set: after a move, its URIs are wrong. */
  readonly epoch: number;
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly completed: Stamp;
  /** In the order of their keys. */
  readonly packages: readonly Package[];
}

/** What the catalog has of the dump of a set. */
export interface StoredDump {
  readonly published?: Dump | undefined;
  /** Complete packages of a build that did not end: the next one need not make them again. */
  readonly made: readonly Package[];
  /** Packages that were published before. They can still be fetched for a day. */
  readonly retired: readonly RetiredPackage[];
}

export interface RetiredPackage extends Package {
  /** Milliseconds since 1970. */
  readonly retired: number;
}

/** The numbers of a dump. */
export function dumpTotals({ packages }: Pick<Dump, 'packages'>) {
  const sum = (of: 'resources' | 'missing' | 'length') => packages.reduce((total, one) => total + one[of], 0);
  return { packages: packages.length, resources: sum('resources'), missing: sum('missing'), bytes: sum('length') };
}

export const NO_DUMP: StoredDump = { made: [], retired: [] };

export const { read: readDump, put: putDump } = documentOfSet<StoredDump>('dump');
