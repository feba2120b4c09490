import { renameSync, statSync } from 'node:fs';
import { openRoot } from '../../src/sources/open-contents.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { testContentRoot } from './content-root.ts';

describe('a folder', () => {
  const folder = useTempFolder();
  testContentRoot('a folder', () => ({
    open: (exclude = [], hashes = []) => openRoot({ root: folder.path, exclude, hashes }),
    write: (path, content, mtime) => folder.write(path, content, mtime),
    timeOf: (path) => statSync(folder.at(path), { bigint: true }).mtimeNs,
    remove: (path) => folder.remove(path),
    move: (from, to) => renameSync(folder.at(from), folder.at(to)),
    vanish: () => folder.remove(''),
  }));
});
