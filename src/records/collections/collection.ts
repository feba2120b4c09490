import type { MetadataFormat } from '../metadata-format.ts';

/** What to harvest. One document of the catalog. Its id is that of its stream, and of its set. */
export interface Collection extends CollectionFields {
  readonly id: string;
  /** The organization that has its stream. */
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** What the repository has last said of itself. */
  readonly repository: RepositoryDescription;
}

export interface CollectionFields {
  readonly title?: string | undefined;
  readonly baseUrl: string;
  /** The prefix of its metadata format. */
  readonly format: string;
  /** The setSpecs to harvest; empty: all records. */
  readonly sets: readonly string[];
  /** Names an included transform, or a file: see transforms/load-transform.ts. */
  readonly transform?: string | undefined;
  /** What malformed XML does to a run. */
  readonly malformed: 'stop' | 'skip';
  /** Whether the metadata of each record is checked by the schema of its format. */
  readonly validate?: boolean | undefined;
  /** Whether each record must have an identifier that is a http, https or ftp URI. */
  readonly requireUri?: boolean | undefined;
  /** The handle of NSDL's metadata provider: the collectionNA of trigger files. */
  readonly handle?: string | undefined;
  /** Requested at the end of each run, with status, uuid and ts. */
  readonly message?: string | undefined;
  /** When runs begin by themselves: patterns of cron. */
  readonly schedule?: string | undefined;
  readonly fullSchedule?: string | undefined;
}

/** The answers to Identify, ListMetadataFormats and ListSets. */
export interface RepositoryDescription {
  readonly name: string;
  readonly granularity: 'day' | 'second';
  /** `deletedRecord` of Identify. */
  readonly deletions: 'no' | 'transient' | 'persistent';
  readonly earliest: string;
  readonly formats: readonly MetadataFormat[];
  /** Undefined when it has no sets. At most the first 10,000. */
  readonly sets?: readonly { readonly spec: string; readonly name: string }[];
}
