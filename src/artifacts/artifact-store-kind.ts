import type { S3Location } from '../lib/s3/s3-location.ts';
import type { S3Waiting } from '../lib/s3/wait-while-away.ts';
import type { ArtifactStore } from './artifact-store.ts';

/** A kind of artifact store: how to parse its setting, and how to open it. open-artifacts.ts lists all kinds. */
export interface ArtifactStoreKind<Location extends { readonly kind: string }> {
  /** The syntax of such a location, for messages and for the reference of settings. */
  readonly usage: string;

  /**
   * Parses the setting. Returns undefined for the text of another kind.
   * @throws TidemarkError `invalid`, with words that follow the name of the setting
   */
  parse(text: string): Location | undefined;

  /** Makes a relative path absolute. */
  locate?(location: Location, folder: string): Location;

  /** Adds the settings that a store of this kind needs. */
  configure?(location: Location, settings: ArtifactSettings): Location;

  /** Makes stores wait while their server is away, if they have one. */
  waiting?(location: Location, waiting: S3Waiting): Location;

  /** Where it stores objects, if a set could be made of that folder or bucket, too: they must never be published. */
  placeOf?(location: Location): ArtifactPlace;

  /** Whether a thread that writes artifacts needs much less memory when another thread stores them. */
  readonly isLargePerThread?: boolean;

  /**
   * Sends no request before the store is used. Threads and other processes open the same location at the same time, so
   * it is plain data, and all of them see the same objects.
   */
  open(location: Location): ArtifactStore;
}

export interface ArtifactPlace {
  /** Absolute. */
  readonly folder?: string;
  readonly bucket?: S3Location;
}

/** Settings that artifact stores share with other parts. */
export interface ArtifactSettings {
  /** Milliseconds without data until a request to an S3 server is repeated. */
  readonly s3TimeoutMs: number;
}
