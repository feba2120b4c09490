import { findFiles } from '../../../streams/files/find-files.ts';
import type { FoundFile, GivenFile } from '../../../streams/files/found-file.ts';
import { type ReadItem, readFile } from '../../../streams/files/read-file.ts';
import type { Erratum } from '../../../streams/marc/read-record.ts';

const MOST_FIRST = 10;

/** What one file would be taken for, and what would be taken over of it. */
export interface CheckedFile extends Omit<FoundFile, 'bytes'> {
  records: number;
  /** Ids of a list, and records that are marked as deleted. */
  deletions: number;
  errors: number;
  /** Of the errors. */
  readonly firstErrors: Erratum[];
}

/** What is done with each file, besides counting. */
export interface FileVisitor {
  begin(file: CheckedFile): Promise<void>;
  read(batch: readonly ReadItem[], file: CheckedFile): Promise<void>;
  end(file: CheckedFile): Promise<void>;
  /** After the last file, or when a file cannot be read on. */
  close(): Promise<void>;
}

/** Reads given files to their ends, and yields each file that was found in them, counted. */
export async function* checkFiles(
  given: readonly GivenFile[],
  visitors: readonly FileVisitor[],
  signal: AbortSignal,
): AsyncGenerator<CheckedFile, void, undefined> {
  for (const one of given) {
    for await (const found of findFiles(one)) {
      const { path, packing, kind, reason } = found;
      const file: CheckedFile = {
        ...{ path, packing, kind, ...(reason !== undefined && { reason }) },
        ...{ records: 0, deletions: 0, errors: 0, firstErrors: [] },
      };
      for (const visitor of visitors) await visitor.begin(file);
      for await (const batch of readFile(found)) {
        signal.throwIfAborted();
        for (const item of batch) count(item, file);
        for (const visitor of visitors) await visitor.read(batch, file);
      }
      for (const visitor of visitors) await visitor.end(file);
      signal.throwIfAborted();
      yield file;
    }
  }
}

function count(item: ReadItem, file: CheckedFile): void {
  if (item.kind === 'erratum') {
    file.errors += 1;
    if (file.firstErrors.length < MOST_FIRST) file.firstErrors.push(item);
  } else if (item.kind === 'deletion' || item.deleted) file.deletions += 1;
  else file.records += 1;
}
