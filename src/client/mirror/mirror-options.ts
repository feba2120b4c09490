import type { MirrorPlace } from './target/mirror-place.ts';

export interface MirrorOptions {
  /** Any URL of the source. It may contain a login. */
  readonly url: string;
  readonly place: MirrorPlace;
  /** Selects a set of a source with several: its URL, or a part of its path. */
  readonly set?: string | undefined;
  /** Whether files that already exist in the folder are taken over. */
  readonly adopt: boolean;
  readonly keepDeleted: boolean;
  /** Whether a first copy may take bytes from the Resource Dump. */
  readonly dump: boolean;
  readonly connections: number;
  /** Most requests a second; may be Infinity. */
  readonly rate: number;
  readonly allowedHosts: readonly string[];
  readonly contact?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly netrc?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MirrorProgress) => void;
  /** Called with a message for people about an event of the pass. */
  readonly onNotice: (text: string) => void;
  /**
   * Called before a pause after a temporary error.
   * @param ms length of the pause
   */
  readonly onPause: (reason: string, ms: number) => void;
  /** Whether to wait while the source of an existing copy cannot be read at the start. */
  readonly waitsForSource: boolean;
  readonly onOutage: OutageListener;
  /** Whether `CopyListing` can list the copy. */
  readonly isListed?: boolean;
  /**
   * Called after a commit, with the path of each resource that was added, removed or replaced, or could not be
   * copied.
   */
  readonly onChanged?: (path: string) => void;
}

/**
 * Called once when the source or the target becomes unusable, with the reason, and once with undefined when it is
 * usable again.
 */
export type OutageListener = (outage: Outage | undefined) => void;

export interface Outage {
  readonly of: 'source' | 'target';
  readonly reason: string;
}

export type MirrorStep = 'comparing' | 'unpacking' | 'fetching' | 'checking';

export interface MirrorProgress {
  readonly step: MirrorStep;
  readonly done: number;
  /** 0 while it is unknown. */
  readonly total: number;
}

/** Counts of what changed in the copy. */
export interface CopyCounts {
  fetched: number;
  /** The part of `fetched` that came from a Resource Dump. */
  fromDump: number;
  bytes: number;
  deleted: number;
  /** Number of files that were right already. */
  adopted: number;
  failed: number;
}

/** The result of one pass. */
export interface PassReport extends Readonly<CopyCounts> {
  /** Why the copy was compared with the Resource List; undefined when it was not. */
  readonly compared: 'first' | 'gap' | 'no-changes' | 'asked' | undefined;
  readonly resources: number;
  /** Number of resources whose path is not the one of their URI. */
  readonly renamed: number;
  /** Bytes of all resources of the copy. */
  readonly totalBytes: number;
  /** The copy contains every change before this time, in microseconds since 1970. */
  readonly upTo: number | undefined;
  /** Milliseconds that the pass took. */
  readonly took: number;
}
