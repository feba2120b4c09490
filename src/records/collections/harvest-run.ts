/** `again` reads the stored responses of an earlier run; `test` and `check` change nothing. */
export type HarvestKind = 'incremental' | 'full' | 'again' | 'test' | 'check';

/** NSDL's statuses: complete; complete with errors or warnings; failed. */
export type HarvestStatus = 2 | 3 | 4;

export interface NamedHarvest {
  readonly collection: string;
  /** From 1, without gaps. */
  readonly number: number;
}

/** One harvest of a collection: a document of the catalog, `COLLECTION/000000012`. */
export interface HarvestRun extends NamedHarvest {
  readonly kind: HarvestKind;
  readonly uuid: string;
  readonly trigger: HarvestTrigger;
  /** Whether a large drop is accepted. */
  readonly force?: true;
  /** The run whose responses are read `again`. */
  readonly of?: number;
  /** `received`: the list is complete, and its upload has its number. */
  readonly state: 'waiting' | 'running' | 'received' | 'ended';
  /** Milliseconds since 1970, as all times of a run. */
  readonly added: number;
  readonly started?: number;
  readonly ended?: number;
  /** Present when it has ended. */
  readonly status?: HarvestStatus;
  /** Why it has failed, and where: set, page, token, last identifier. A sentence without a full stop. */
  readonly failure?: string;
  /** One for each requested set, in the order in which they are harvested. */
  readonly lists: readonly HarvestedList[];
  /** The job that makes it; absent for a run of a command. */
  readonly job?: string;
  /** The unfinished resumable upload that it fills. */
  readonly resumable?: string;
  /** The number of its upload in the stream of the collection. */
  readonly upload?: number;
  /** The end of its message, when the collection has one: how often it was tried, and when it was accepted. */
  readonly message?: { readonly attempts: number; readonly accepted?: number; readonly problem?: string };
}

export type HarvestTrigger =
  | { readonly by: 'command' | 'schedule' | 'request' }
  | { readonly by: 'trigger-file'; readonly file: string };

/** The progress of one list: what is durable of it. */
export interface HarvestedList {
  readonly set?: string;
  /** As they were sent. */
  readonly from?: string;
  readonly until?: string;
  /** Of the first answer: the next run asks from there, less one granule. */
  readonly responseDate?: string;
  readonly pages: number;
  /** Records and deletions, as far as they were counted in the pages. */
  readonly records: number;
  /** As the repository says. */
  readonly completeListSize?: number;
  /** The token of the next page; absent before the first page, and after the last one. */
  readonly token?: string;
  readonly lastIdentifier?: string;
  readonly isComplete?: true;
}
