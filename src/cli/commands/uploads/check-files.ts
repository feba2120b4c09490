import { type ReasonView, reasonView } from '../../../api/reason-view.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { ReasonCounts } from '../../../records/errata/reason-counts.ts';
import { findRecordFiles } from '../../../records/forms/identify.ts';
import { OneForm } from '../../../records/forms/one-form.ts';
import { readFile } from '../../../records/forms/read-file.ts';
import { listedErratum, type ReadItem } from '../../../records/forms/record-form.ts';
import type { FoundFile, GivenFile } from '../../../records/packages/found-file.ts';

const MOST_FIRST = 10;
/** Reasons of a file that are shown. */
const MOST_REASONS = 20;

/** How one file would be interpreted, and what would be read from it. */
export interface CheckedFile extends Omit<FoundFile, 'bytes'> {
  records: number;
  /** Number of ids in lists, and of records that are marked as deleted. */
  deletions: number;
  errors: number;
  /** Number of records that would be taken over with a warning. */
  warnings: number;
  /** The first of the errors, and of the warnings. */
  readonly firstErrors: Erratum[];
  readonly firstWarnings: Erratum[];
  /** How many have which reason, the most frequent first, with the likely cause and what to do. */
  reasons: readonly ReasonView[];
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
        reasons: [],
      };
      const counts = new ReasonCounts();
      for (const visitor of visitors) await visitor.begin(checked);
      for await (const batch of readFile(found)) {
        signal.throwIfAborted();
        for (const item of batch) count(item, checked, counts);
        for (const visitor of visitors) await visitor.read(batch, checked);
      }
      for (const visitor of visitors) await visitor.end(checked);
      signal.throwIfAborted();
      checked.reasons = counts.list(MOST_REASONS).map(reasonView);
      yield checked;
    }
  }
}

function count(item: ReadItem, file: CheckedFile, counts: ReasonCounts): void {
  if (item.kind === 'deletion' || (item.kind === 'record' && item.deleted)) file.deletions += 1;
  else if (item.kind === 'record') file.records += 1;
  const erratum = listedErratum(item);
  if (erratum === undefined) return;
  counts.add(erratum);
  file[erratum.warning ? 'warnings' : 'errors'] += 1;
  const first = erratum.warning ? file.firstWarnings : file.firstErrors;
  if (first.length < MOST_FIRST) first.push(erratum);
}
