/**
 * Small documents by kind and id: sets, page directories, tokens, settings of the store. Held to these promises by
 * test/contract/catalog.ts.
 */
export interface Catalog {
  /** The document, or undefined when there is none. */
  get<Body>(kind: CatalogKind, id: string): Promise<CatalogDocument<Body> | undefined>;

  /**
   * Writes a document in place of the version that it replaces (undefined: there is none yet), durably. Returns its new
   * version.
   * @throws TidemarkError `conflict` when that is no longer the current version; then nothing was written
   */
  put<Body>(kind: CatalogKind, id: string, body: Body, replaces: number | undefined): Promise<number>;

  /** The documents of a kind that were put after a version (all, without one), ascending by id as text. */
  list<Body>(kind: CatalogKind, after?: number): Promise<readonly CatalogDocument<Body>[]>;

  /**
   * The documents of a kind whose ids begin with a prefix, descending by id: those before an id, at most so many. They
   * are read by the prefix, however many others there are.
   */
  latest<Body>(kind: CatalogKind, prefix: string, page?: CatalogPage): Promise<readonly CatalogDocument<Body>[]>;

  /** A number that rises with every put of the kind, by whichever process. */
  head(kind: CatalogKind): Promise<number>;
}

/**
 * `records`: how far a set has come with artifacts; `dump` and `change-dump`: the packages of a set; `list-archive`:
 * its archived lists; `removals`: whether versions of it are being removed; `made-links`: see ingest/linked-sets.ts;
 * `archive`: which archive the log goes to; `session`: the key of sessions, and which ended; `subscription`: who is
 * sent changes; `delivery`: how far they were sent; `rebuild`: that the store is made of one, and whether it is whole;
 * `clock`: see clock.ts; `organization`: who delivers files, with its streams; `upload`: files that were delivered;
 * `upload-state`: how far an upload has come; `stream-dump`: a full or delta dump of a stream's records;
 * `upload-pause`: whether a dump waits for a boundary; `followed`: see streams/follow-cursor.ts; `resumable-uploads`:
 * those of an organization that are sent in several requests.
 */
export type CatalogKind =
  | 'set'
  | 'page-directory'
  | 'source'
  | 'token'
  | 'session'
  | 'journal'
  | 'records'
  | 'archive'
  | 'rebuild'
  | 'dump'
  | 'change-dump'
  | 'list-archive'
  | 'removals'
  | 'made-links'
  | 'subscription'
  | 'delivery'
  | 'clock'
  | 'organization'
  | 'upload'
  | 'resumable-uploads'
  | 'upload-state'
  | 'stream-dump'
  | 'upload-pause'
  | 'followed';

export interface CatalogPage {
  readonly before?: string | undefined;
  /** Without one, all. */
  readonly limit?: number | undefined;
}

export interface CatalogDocument<Body> {
  readonly id: string;
  /** Rises with every put. */
  readonly version: number;
  readonly body: Body;
}
