/** The progress of one list of records: what is durable of it. */
export interface HarvestedList {
  /** Absent: all records of the repository. */
  readonly set?: string;
  /** As it was sent: the first datestamp that was asked for. */
  readonly from?: string;
  /** Of the first answer: the next run asks from there, less one granule. */
  readonly responseDate?: string;
  readonly pages: number;
  /** Headers of records and of deletions, as they were counted in the pages. */
  readonly records: number;
  /** As the repository last stated it. */
  readonly completeListSize?: number;
  /** The token of the next page; absent before the first page, and after the last one. */
  readonly token?: string;
  readonly lastIdentifier?: string;
  /** Present when a token had expired, and the list was begun again: that happens once. */
  readonly hasBegunAgain?: true;
  readonly isComplete?: true;
}
