/** What the loop of requests needs to know of an answer to ListRecords. Its records are checked when they are read. */
export interface ScannedPage {
  readonly responseDate: string | undefined;
  readonly errors: readonly OaiError[];
  /** Number of headers, of records and of deletions. */
  readonly records: number;
  readonly lastIdentifier: string | undefined;
  /** Empty when the element is; undefined without one. */
  readonly token: string | undefined;
  readonly completeListSize: number | undefined;
  /** Whether it is a static repository: one document, which has all records. */
  readonly isStatic: boolean;
}

export interface OaiError {
  readonly code: string;
  readonly text: string;
}
