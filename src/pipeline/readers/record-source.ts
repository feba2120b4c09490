import type { InputBatch } from '../input-item.ts';

/** Where the records of a run come from: a file or stream of lines, a folder, artifacts. */
export interface RecordSource {
  /** How much there is, when that is known. */
  readonly total: SourceSize | undefined;
  /** May be called once. @throws TidemarkError when it cannot be read on; problems of single records are items */
  read(): AsyncIterable<InputBatch>;
  /**
   * Of a folder, after it was read: the number of files that are no documents, and of links that lead to no file in it.
   */
  passedOver?(): { readonly files: number; readonly links: number };
}

export interface SourceSize {
  readonly count: number;
  readonly unit: 'bytes' | 'files';
}
