/**
 * Small documents by kind and id: sets, page directories, tokens, settings of the store. test/contract/catalog.ts tests
 * these promises.
 */
export interface Catalog {
  /** Returns the document; undefined when it does not exist. */
  get<Body>(kind: CatalogKind, id: string): Promise<CatalogDocument<Body> | undefined>;

  /**
   * Replaces a version of a document, durably (`undefined` creates it). Returns the new version.
   * @throws TidemarkError `conflict` when the current version is another one; nothing was written then
   */
  put<Body>(kind: CatalogKind, id: string, body: Body, replaces: number | undefined): Promise<number>;

  /**
   * Lists the documents of a kind that were put after a version (all, if undefined), ascending by id as text. With a
   * limit, only the first ones that were put, ascending by version.
   */
  list<Body>(kind: CatalogKind, after?: number, limit?: number): Promise<readonly CatalogDocument<Body>[]>;

  /**
   * Lists documents of a kind whose ids begin with a prefix, descending by id: those before an id, up to a limit. The
   * query uses the prefix, so other documents cost no time.
   */
  latest<Body>(kind: CatalogKind, prefix: string, page?: CatalogPage): Promise<readonly CatalogDocument<Body>[]>;

  /** A number that rises with every put of the kind by any process. */
  head(kind: CatalogKind): Promise<number>;
}

/**
 * `token-use`: when each token was last used; `records`: the state of syncing a set with artifacts; `dump` and
 * `change-dump`: the packages of a set; `list-archive`: its archived lists; `removals`: whether versions of it are
 * being removed; `made-links`: see ingest/linked-sets.ts; `archive`: the archive to which the log is written;
 * `session`: the key of sessions, and the sessions that ended; `subscription`: a receiver of changes; `delivery`: the
 * position of a subscription in the log; `rebuild`: that the store is made from an archive, and whether it is complete;
 * `clock`: see clock.ts; `organization`: an organization that delivers files, with its streams; `upload`: files that
 * were delivered; `upload-state`: the progress of an upload; `activity-run`: a run of an activity; `collection` and
 * `harvest-run`: what is harvested, and the runs of it; `stream-dump`: a full or delta dump of a stream's records;
 * `upload-messages`: what was sent to an organization about its uploads; `upload-pause`: whether a dump waits for a
 * boundary; `followed`: see records/follow-cursor.ts; `resumable-uploads`: uploads of an organization that are sent in
 * several requests; `artifact-check`: when artifacts were compared with their digests, and which of them are damaged;
 * `nsdl-refusal`: a trigger file or pieces of NSDL that were refused; `dataset-request`: a request to ingest a dataset,
 * and its result; `dataset`: a stored dataset; `dataset-sink`: up to which result a sink has got them; `scanners`:
 * which processes scan sets, see sources/scanners/.
 */
export type CatalogKind =
  | 'set'
  | 'page-directory'
  | 'source'
  | 'token'
  | 'token-use'
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
  | 'activity-run'
  | 'collection'
  | 'harvest-run'
  | 'stream-dump'
  | 'upload-pause'
  | 'upload-messages'
  | 'followed'
  | 'artifact-check'
  | 'nsdl-refusal'
  | 'dataset-request'
  | 'dataset'
  | 'dataset-sink'
  | 'scanners';

export interface CatalogPage {
  readonly before?: string | undefined;
  /** All, if undefined. */
  readonly limit?: number | undefined;
}

export interface CatalogDocument<Body> {
  readonly id: string;
  /** Rises with every put. */
  readonly version: number;
  readonly body: Body;
}
