/** Entities of fatcat, as its importers make them from results; the names are those of its API. */

export interface EntityUrl {
  readonly url: string;
  readonly rel: string;
}

interface Entity {
  readonly urls: readonly EntityUrl[];
  /** Empty where requests name no release: an importer finds it by `extra.release_ext_ids`. */
  readonly release_ids: readonly string[];
  readonly edit_extra: Readonly<Record<string, unknown>>;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Several files that belong together (D01). */
export interface FilesetEntity extends Entity {
  readonly manifest: readonly FilesetFile[];
}

export interface FilesetFile extends FileInfo {
  readonly path: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A file alone (D36). */
export interface FileEntity extends Entity, FileInfo {}

export interface FileInfo {
  /** Bytes. */
  readonly size: number;
  readonly md5: string;
  readonly sha1: string;
  readonly sha256?: string;
  readonly mimetype?: string;
}

/** What became of a result: an entity, or why there is none. */
export type Made<Entity> =
  | { readonly entity: Entity; readonly skipped?: undefined }
  | { readonly entity?: undefined; readonly skipped: string };
