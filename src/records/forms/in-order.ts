import type { FoundFile, GivenFile } from '../packages/found-file.ts';
import type { UnpackOptions } from '../packages/unpacking.ts';
import { findRecordFiles } from './identify.ts';
import { formOf } from './record-forms.ts';

/**
 * The files of one upload in the order in which they count: first all lists of ids to delete, then the others, each in
 * the order of the upload and of its packages. So a record is kept when one package both deletes and sends it.
 *
 * Each given file is read in two passes, because only its content shows what a file is. That costs little. For a file
 * without a package, or only in gzip, the first pass reads the beginning; for a ZIP, the beginning of each file in it.
 * Only a tar is unpacked twice.
 * @throws as `findRecordFiles`
 */
export async function* filesInOrder(
  given: readonly GivenFile[],
  options?: Omit<UnpackOptions, 'identify'>,
): AsyncGenerator<FileOfUpload, void, undefined> {
  for (const isDeletion of [true, false]) {
    for await (const found of filesAsGiven(given, options)) {
      if (deletes(found.file) === isDeletion) yield found;
    }
  }
}

/** The files in the order of the upload and of its packages, for one without lists of ids: each is read once. */
export async function* filesAsGiven(
  given: readonly GivenFile[],
  options?: Omit<UnpackOptions, 'identify'>,
): AsyncGenerator<FileOfUpload, void, undefined> {
  for (const [at, one] of given.entries()) {
    for await (const file of findRecordFiles(one, options)) yield { file, position: at + 1 };
  }
}

/** Whether a file has nothing but deletions. */
function deletes({ kind }: FoundFile): boolean {
  const form = formOf(kind);
  return form !== undefined && form.records === undefined;
}

interface FileOfUpload {
  readonly file: FoundFile;
  /** Position, from 1, of the given file that it is or is in. */
  readonly position: number;
}
