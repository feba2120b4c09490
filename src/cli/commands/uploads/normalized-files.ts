import { join } from 'node:path';
import { makeFolder } from '../../../lib/files/make-folder.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { ReadErratum, ReadItem, ReadRecord, RecordFile } from '../../../records/forms/record-form.ts';
import { formOf } from '../../../records/forms/record-forms.ts';
import { type OutputFile, openOutputFile } from '../../output-file.ts';
import type { CheckedFile, FileVisitor } from './check-files.ts';
import { nameOf } from './describe-check.ts';

const MOST_INCOMPLETE = 10;

/**
 * Writes what is read of each file into a folder: `0001-NAME.xml` (or what else is readable in their form) with its
 * records, and `0001-NAME.deleted.txt` with the ids that it deletes; neither when there are none. They do not show what
 * could not be read of a file, such as its end.
 * @param say reports the first files of which not everything could be read
 * @throws TidemarkError `invalid` when one of them exists, or cannot be written
 */
export async function openNormalizedFiles(folder: string, say: (text: string) => void): Promise<FileVisitor> {
  makeFolder(folder);
  let count = 0;
  let incomplete = 0;
  let lastError: ReadErratum | undefined;
  let records: ReadableFile | undefined;
  let deletions: OutputFile | undefined;
  const outputName = ({ path }: CheckedFile) => {
    const last = path.at(-1)!.split('/').at(-1)!;
    // Restricted to letters and digits that every file system accepts: the name comes from a package.
    return `${String(count).padStart(4, '0')}-${last.replace(/[^\w.-]+/g, '_').slice(-100)}`;
  };
  const open = (file: CheckedFile, suffix: string) =>
    openOutputFile(join(folder, `${outputName(file)}${suffix}`), 'wx');
  const close = async () => {
    for (const output of [records, deletions]) await output?.close();
    [records, deletions] = [undefined, undefined];
  };
  return {
    async begin() {
      count += 1;
    },
    async read(batch, file) {
      lastError = batch.findLast((item) => item.kind === 'erratum') ?? lastError;
      for (const item of batch) {
        if (item.kind !== 'record' || item.deleted) continue;
        records ??= await openReadable(formOf(file.kind)!.records!.readable, (suffix) => open(file, suffix));
        records.add(item);
      }
      const ids = batch.map(deletedIdOf).join('');
      if (ids !== '') deletions ??= await open(file, '.deleted.txt');
      await records?.flush();
      await deletions?.write(ids);
    },
    async end(file) {
      await close();
      if (lastError !== undefined && ++incomplete <= MOST_INCOMPLETE) say(describeIncomplete(file, lastError));
      lastError = undefined;
    },
    close,
  };
}

function describeIncomplete(file: CheckedFile, { ordinal, reason }: ReadErratum): string {
  const errors = file.errors === 1 ? 'the error is' : `of ${formatCount(file.errors)} errors, the last is`;
  return `What was written of ${nameOf(file)} is not all of it: ${errors} in record ${formatCount(ordinal)}: ${reason}.`;
}

interface ReadableFile {
  add(record: ReadRecord): void;
  /** Waits while the disk is slow. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

async function openReadable(
  { suffix, openWriter }: RecordFile,
  open: (suffix: string) => Promise<OutputFile>,
): Promise<ReadableFile> {
  const output = await open(suffix);
  let parts: Buffer[] = [];
  const writer = await openWriter((bytes) => parts.push(Buffer.from(bytes)));
  const flush = () => {
    const bytes = Buffer.concat(parts);
    parts = [];
    return output.write(bytes);
  };
  return {
    add: ({ record: { bytes } }) => writer.add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    flush,
    async close() {
      writer.end();
      await flush();
      await output.close();
    },
  };
}

const deletedIdOf = (item: ReadItem): string =>
  item.kind === 'deletion' || (item.kind === 'record' && item.deleted) ? `${item.id}\n` : '';
