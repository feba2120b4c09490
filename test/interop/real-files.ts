import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../../node_modules');
const LARGEST = 100_000;

/** Copies so many real files, with their folders, from the packages that are installed: those that sort first. */
export async function copyRealFiles(to: string, count: number): Promise<void> {
  let copied = 0;
  for await (const path of filesIn(PACKAGES)) {
    if (copied === count) return;
    if ((await stat(join(PACKAGES, path))).size > LARGEST) continue;
    await mkdir(dirname(join(to, path)), { recursive: true });
    await copyFile(join(PACKAGES, path), join(to, path));
    copied += 1;
  }
  throw new Error(`there are only ${copied} files in ${PACKAGES}`);
}

/** What every file of a folder holds, by its path; `nameOf` makes that path of the one on disk. */
export async function contentsOf(
  folder: string,
  nameOf = (path: string) => path,
): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>();
  for await (const path of filesIn(folder)) contents.set(nameOf(path), await readFile(join(folder, path), 'base64'));
  return contents;
}

/** Paths below a folder, in order; symbolic links are left out. */
async function* filesIn(folder: string, below = ''): AsyncIterable<string> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* filesIn(folder, path);
    else if (entry.isFile()) yield path;
  }
}
