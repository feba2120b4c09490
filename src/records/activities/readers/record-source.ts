import type { InputBatch } from '../../input-item.ts';

/** The source of the records of a run: lines, a folder, artifacts, the records of an organization's stream. */
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
  /** Releases what it has on disk. To be called also when it was not read to its end. */
  close?(): void;
}

interface SourceSize {
  readonly count: number;
  readonly unit: 'bytes' | 'files' | 'records';
}
