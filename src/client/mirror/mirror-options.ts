import type { MirrorPlace } from './target/mirror-place.ts';

export interface MirrorOptions {
  /** Any URL of the source, perhaps with a login. */
  readonly url: string;
  readonly place: MirrorPlace;
  /** Which set, when there are several: its URL, or a part of the path of it. */
  readonly set?: string | undefined;
  /** Takes over files that are in the folder already. */
  readonly adopt: boolean;
  readonly keepDeleted: boolean;
  /** Whether a first copy may take bytes from the Resource Dump. */
  readonly dump: boolean;
  readonly connections: number;
  /** Requests a second; Infinity. */
  readonly rate: number;
  readonly allowedHosts: readonly string[];
  readonly contact?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly netrc?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MirrorProgress) => void;
  /** Called with what a person should know while it happens. */
  readonly onNotice: (text: string) => void;
  /** Called before it waits because of an answer that may pass. @param ms how long */
  readonly onPause: (reason: string, ms: number) => void;
  /** Waits for the source of a copy that was begun before, when it cannot be read at first. */
  readonly waitsForSource: boolean;
  readonly onOutage: OutageListener;
  /** Whether `CopyListing` can list the copy. */
  readonly isListed?: boolean;
  /** Called with the path of each resource that the copy has gained, lost, replaced or could not copy, when that is
   * committed. */
  readonly onChanged?: (path: string) => void;
}

/** What cannot be read or written now, and why; undefined when it can be again. Called once for each. */
export type OutageListener = (outage: Outage | undefined) => void;

export interface Outage {
  readonly of: 'source' | 'target';
  readonly reason: string;
}

export type MirrorStep = 'comparing' | 'unpacking' | 'fetching' | 'checking';

export interface MirrorProgress {
  readonly step: MirrorStep;
  readonly done: number;
  /** 0 when it is not known yet. */
  readonly total: number;
}

/** What changed in the copy. */
export interface CopyCounts {
  fetched: number;
  /** Of them, those whose bytes came from a Resource Dump. */
  fromDump: number;
  bytes: number;
  deleted: number;
  /** Files that were right already. */
  adopted: number;
  failed: number;
}

/** What one pass did. */
export interface PassReport extends Readonly<CopyCounts> {
  /** Whether the copy was compared with the Resource List, and why. */
  readonly compared: 'first' | 'gap' | 'no-changes' | 'asked' | undefined;
  readonly resources: number;
  /** Of all resources of the copy. */
  readonly totalBytes: number;
  /** Microseconds since 1970: every change before is in the copy. */
  readonly upTo: number | undefined;
  /** Milliseconds. */
  readonly took: number;
}
