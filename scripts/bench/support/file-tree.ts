import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes folders of 20 small files each, an hour old. */
export function makeFileTree(root: string, folders: number): void {
  const hourAgo = Date.now() / 1000 - 3600;
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, folderName(folder));
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 20; file++) {
      const name = join(path, fileName(file));
      writeFileSync(name, `This is the file ${file} of the folder ${folder}.\n`.repeat(1 + (file % 10)));
      utimesSync(name, hourAgo, hourAgo);
    }
  }
}

/** Fifty folders, with a hundred each at full size. */
export function folderName(folder: number): string {
  return `part-${String(folder % 50).padStart(2, '0')}/folder-${String(folder).padStart(5, '0')}`;
}

export function fileName(file: number): string {
  return `file-${String(file).padStart(2, '0')}.txt`;
}
