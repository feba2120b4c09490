import { join } from 'node:path';
import { makeFolder } from '../../../lib/files/make-folder.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { ReadItem } from '../../../records/files/read-file.ts';
import { MARCXML_END, MARCXML_START } from '../../../records/forms/marc/marcxml-markup.ts';
import type { Erratum } from '../../../records/forms/marc/read-record.ts';
import { writeMarcXml } from '../../../records/forms/marc/write-marcxml.ts';
import { type OutputFile, openOutputFile } from '../../output-file.ts';
import type { CheckedFile, FileVisitor } from './check-files.ts';
import { nameOf } from './describe-check.ts';

const MOST_INCOMPLETE = 10;

/**
 * Writes what is read of each file into a folder: `0001-NAME.xml` with its records as MARCXML, and
 * `0001-NAME.deleted.txt` with the ids that it deletes; neither when there are none. They do not show what could not be
 * read of a file, such as its end.
 * @param say reports the first files of which not everything could be read
 * @throws TidemarkError `invalid` when one of them exists, or cannot be written
 */
export async function openNormalizedFiles(folder: string, say: (text: string) => void): Promise<FileVisitor> {
  makeFolder(folder);
  let count = 0;
  let incomplete = 0;
  let lastError: Erratum | undefined;
  let records: OutputFile | undefined;
  let deletions: OutputFile | undefined;
  const outputName = ({ path }: CheckedFile) => {
    const last = path.at(-1)!.split('/').at(-1)!;
    // Restricted to letters and digits that every file system accepts: the name comes from a package.
    return `${String(count).padStart(4, '0')}-${last.replace(/[^\w.-]+/g, '_').slice(-100)}`;
  };
  const open = (file: CheckedFile, suffix: string) =>
    openOutputFile(join(folder, `${outputName(file)}${suffix}`), 'wx');
  const close = async () => {
    await records?.write(MARCXML_END);
    for (const output of [records, deletions]) await output?.close();
    [records, deletions] = [undefined, undefined];
  };
  return {
    async begin() {
      count += 1;
    },
    async read(batch, file) {
      lastError = batch.findLast((item) => item.kind === 'erratum') ?? lastError;
      const xml = batch.map(xmlOf).join('');
      const ids = batch.map(deletedIdOf).join('');
      if (xml !== '' && records === undefined) {
        records = await open(file, '.xml');
        await records.write(MARCXML_START);
      }
      if (ids !== '') deletions ??= await open(file, '.deleted.txt');
      await records?.write(xml);
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

function describeIncomplete(file: CheckedFile, { ordinal, reason }: Erratum): string {
  const errors = file.errors === 1 ? 'the error is' : `of ${formatCount(file.errors)} errors, the last is`;
  return `What was written of ${nameOf(file)} is not all of it: ${errors} in record ${formatCount(ordinal)}: ${reason}.`;
}

const xmlOf = (item: ReadItem): string => (item.kind === 'record' && !item.deleted ? writeMarcXml(item.record) : '');

const deletedIdOf = (item: ReadItem): string =>
  item.kind === 'deletion' || (item.kind === 'record' && item.deleted) ? `${item.id}\n` : '';
