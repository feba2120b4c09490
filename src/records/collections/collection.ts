import type { RepositoryDescription } from '../arrivals/oai-harvest/repository-description.ts';

/** What to harvest. One document of the catalog. Its id is that of its stream, and of its set. */
export interface Collection extends CollectionFields {
  readonly id: string;
  /** The organization that has its stream. */
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Since when its schedules are as they are, in milliseconds since 1970: earlier times are not made up for. */
  readonly scheduledSince: number;
  /** What the repository has last said of itself. */
  readonly repository: RepositoryDescription;
  /** When it was removed: documents of the catalog cannot be removed. Such collections are treated as if not there. */
  readonly removed?: number | undefined;
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

/** What a collection is added with. Without `provider`, its organization has the id of the collection. */
export type NewCollection = Pick<CollectionFields, 'baseUrl' | 'format'> &
  CollectionChanges & { readonly provider?: string | undefined };

/** Changes of a collection. An absent field stays as it is; an empty text removes one that may be absent. */
export type CollectionChanges = {
  readonly [Name in keyof CollectionFields]?: CollectionFields[Name] | undefined;
};

export const COLLECTION_KIND = 'collection';
