import { join } from 'node:path';
import { makeFolder } from '../../../lib/make-folder.ts';
import type { ReadItem } from '../../../streams/files/read-file.ts';
import { MARCXML_END, MARCXML_START } from '../../../streams/marc/marcxml-markup.ts';
import { writeMarcXml } from '../../../streams/marc/write-marcxml.ts';
import { type OutputFile, openOutputFile } from '../../output-file.ts';
import type { CheckedFile, FileVisitor } from './check-files.ts';

/**
 * Writes what is read of each file into a folder: `0001-NAME.xml` with its records as MARCXML, and
 * `0001-NAME.deleted.txt` with the ids that it deletes; neither when there are none.
 * @throws TidemarkError `invalid` when one of them exists, or cannot be written
 */
export async function openNormalizedFiles(folder: string): Promise<FileVisitor> {
  makeFolder(folder);
  let count = 0;
  let records: OutputFile | undefined;
  let deletions: OutputFile | undefined;
  const nameOf = ({ path }: CheckedFile) => {
    const last = path.at(-1)!.split('/').at(-1)!;
    // Restricted to letters and digits that every file system accepts: the name comes from a package.
    return `${String(count).padStart(4, '0')}-${last.replace(/[^\w.-]+/g, '_').slice(-100)}`;
  };
  const open = (file: CheckedFile, suffix: string) => openOutputFile(join(folder, `${nameOf(file)}${suffix}`), 'wx');
  const end = async () => {
    await records?.write(MARCXML_END);
    for (const output of [records, deletions]) await output?.close();
    [records, deletions] = [undefined, undefined];
  };
  return {
    async begin() {
      count += 1;
    },
    async read(batch, file) {
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
    end,
    close: end,
  };
}

const xmlOf = (item: ReadItem): string => (item.kind === 'record' && !item.deleted ? writeMarcXml(item.record) : '');

const deletedIdOf = (item: ReadItem): string =>
  item.kind === 'deletion' || (item.kind === 'record' && item.deleted) ? `${item.id}\n` : '';
