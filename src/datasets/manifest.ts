import type { FileStatus } from './status.ts';

/** A hash that the platform states of a file. */
export interface StatedHash {
  /** As the platform names it, in lower case without `-`: md5, sha1, sha256, sha512 … */
  readonly algorithm: string;
  /** Lower-case hexadecimal digits. */
  readonly digest: string;
}

/** A file as its platform describes it, checked by platforms/checked-manifest.ts. */
export interface PlatformFile {
  /**
   * Relative, with `/` between names; unique in the manifest also when compared without case and composition, and no
   * path is a folder of another one.
   */
  readonly path: string;
  /** Bytes; undefined when the platform does not say. */
  readonly size?: number | undefined;
  /** Empty when the platform states none. */
  readonly hashes: readonly StatedHash[];
  readonly mimetype?: string | undefined;
  /** From which it is fetched: http or https. Absent for a file that is only in a bundle. */
  readonly platformUrl?: string | undefined;
  /** The platform's id of the file. */
  readonly id?: string | undefined;
  /** What else the platform says, such as a description; and `path`, where the path had to be changed. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A file of a manifest as it is published and reported, in the names of sandcrawler's `manifest` column (D47). Of a
 * file that was not stored, hashes and size are those of the platform.
 */
export interface ManifestFile {
  readonly status: FileStatus;
  /** What was wrong, where, and what to do. Absent for a success. */
  readonly message?: string;
  readonly path: string;
  readonly size?: number;
  readonly md5?: string;
  readonly sha1?: string;
  readonly sha256?: string;
  readonly mimetype?: string;
  readonly platform_url?: string;
  /** Where the bytes came from, after redirects; the capture's URL for a web archive. Without a signature. */
  readonly terminal_url?: string;
  /** When it was captured: 14 digits, in UTC. */
  readonly terminal_dt?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Where its bytes are in the artifact store; absent where a remote backend has them, and in a bundle. */
  readonly stored?: StoredBytes;
}

/** A range of an artifact. */
export interface StoredBytes {
  readonly artifact: string;
  /** Position in bytes of the first byte in the artifact. */
  readonly offset: number;
  readonly length: number;
}

/** The manifest of a stored dataset: an artifact, and the resource `manifest.json` of its set. */
export interface DatasetManifest {
  readonly platform_name: string;
  readonly platform_domain: string;
  readonly platform_id: string;
  readonly version?: string;
  /** The persistent identifier, as a URI. */
  readonly persistent_id?: string;
  readonly landing_url: string;
  readonly ingest_strategy: StrategyName;
  readonly file_count: number;
  readonly total_size: number;
  /** The item of archive.org, or of the folder of artifacts. */
  readonly item_name?: string;
  /** The bundle file, where there is one: `files` are then those in it. */
  readonly bundle?: ManifestFile;
  /** What people have to know of it: sentences without a stop, such as which files are left out. */
  readonly notes?: readonly string[];
  readonly files: readonly ManifestFile[];
}

export const STRATEGY_NAMES = [
  'web-file',
  'web-fileset',
  'web-fileset-bundled',
  'archiveorg-file',
  'archiveorg-fileset',
  'archiveorg-fileset-bundled',
] as const;

/** `{storage_backend}-{fatcat_entity}`, with `-bundled` when only one enclosing file is stored (D06, D07). */
export type StrategyName = (typeof STRATEGY_NAMES)[number];
