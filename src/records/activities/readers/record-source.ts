import type { InputBatch } from '../../input-item.ts';

/** The source of the records of a run: a file or stream of lines, a folder, artifacts. */
export interface RecordSource {
  /** The size of the input, if it is known. */
  readonly total: SourceSize | undefined;
  /** May be called once. @throws TidemarkError when reading cannot continue; problems of single records are items */
  read(): AsyncIterable<InputBatch>;
  /**
   * For a folder, after it was read: the number of files that are not documents, and of links that lead to no file in
   * it.
   */
  passedOver?(): { readonly files: number; readonly links: number };
}

interface SourceSize {
  readonly count: number;
  readonly unit: 'bytes' | 'files';
}
