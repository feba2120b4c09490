import { findRecordFiles } from '../../../records/forms/identify.ts';
import { OneForm } from '../../../records/forms/one-form.ts';
import { readFile } from '../../../records/forms/read-file.ts';
import { type ReadErratum, type ReadItem, warningOf } from '../../../records/forms/record-form.ts';
import type { FoundFile, GivenFile } from '../../../records/packages/found-file.ts';

const MOST_FIRST = 10;

/** How one file would be interpreted, and what would be read from it. */
export interface CheckedFile extends Omit<FoundFile, 'bytes'> {
  records: number;
  /** Number of ids in lists, and of records that are marked as deleted. */
  deletions: number;
  errors: number;
  /** Number of records that would be taken over with a warning. */
  warnings: number;
  /** The first of the errors, and of the warnings. */
  readonly firstErrors: ReadErratum[];
  readonly firstWarnings: ReadErratum[];
}

/** Receives each file and its contents, besides counting. */
export interface FileVisitor {
  begin(file: CheckedFile): Promise<void>;
  read(batch: readonly ReadItem[], file: CheckedFile): Promise<void>;
  end(file: CheckedFile): Promise<void>;
  /** Called after the last file, or when reading a file fails. */
  close(): Promise<void>;
}

/** Reads given files to their ends, and yields each file found in them, with its counts. */
export async function* checkFiles(
  given: readonly GivenFile[],
  visitors: readonly FileVisitor[],
  signal: AbortSignal,
): AsyncGenerator<CheckedFile, void, undefined> {
  const form = new OneForm();
  for (const one of given) {
    for await (const file of findRecordFiles(one)) {
      const found = form.admit(file);
      const { path, packing, kind, reason } = found;
      const checked: CheckedFile = {
        path,
        packing,
        kind,
        ...(reason !== undefined && { reason }),
        records: 0,
        deletions: 0,
        errors: 0,
        warnings: 0,
        firstErrors: [],
        firstWarnings: [],
      };
      for (const visitor of visitors) await visitor.begin(checked);
      for await (const batch of readFile(found)) {
        signal.throwIfAborted();
        for (const item of batch) count(item, checked);
        for (const visitor of visitors) await visitor.read(batch, checked);
      }
      for (const visitor of visitors) await visitor.end(checked);
      signal.throwIfAborted();
      yield checked;
    }
  }
}

function count(item: ReadItem, file: CheckedFile): void {
  if (item.kind === 'erratum') {
    file.errors += 1;
    if (file.firstErrors.length < MOST_FIRST) file.firstErrors.push(item);
  } else if (item.kind === 'deletion' || item.deleted) file.deletions += 1;
  else file.records += 1;
  const warning = item.kind === 'record' ? warningOf(item) : undefined;
  if (warning === undefined) return;
  file.warnings += 1;
  if (file.firstWarnings.length < MOST_FIRST) file.firstWarnings.push(warning);
}
