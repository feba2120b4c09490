import type { ArtifactStore } from './artifact-store.ts';

/** A kind of artifact store: how its setting is written, and how it is opened. open-artifacts.ts lists all kinds. */
export interface ArtifactStoreKind<Location extends { readonly kind: string }> {
  /** How people write such a location, for messages. */
  readonly usage: string;

  /**
   * Reads the setting. Undefined for the text of another kind.
   * @throws TidemarkError `invalid`, with words that follow the name of the setting
   */
  parse(text: string): Location | undefined;

  /** Makes a relative path absolute. */
  locate?(location: Location, folder: string): Location;

  /** Adds the settings that a store of this kind needs. */
  configure?(location: Location, settings: ArtifactSettings): Location;

  /** Opens nothing and asks for nothing before the store is used. */
  open(location: Location): ArtifactStore;
}

/** Settings that artifact stores share with other parts. */
export interface ArtifactSettings {
  /** Milliseconds that an S3 server may say nothing before it is asked again. */
  readonly s3Timeout: number;
}
