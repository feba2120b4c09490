import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync } from 'node:fs';
import { keyOfPath } from '../../core/key.ts';
import { nameProblem } from '../name-problem.ts';

/** A name in a folder, with its sort text. */
export interface FolderName {
  readonly name: string;
  /**
   * The encoded name, with a slash appended for a folder: comparing these texts compares the keys of everything below.
   */
  readonly order: string;
  readonly dirent: Dirent;
  /** Why the name cannot be published. */
  readonly problem?: string;
}

/** The names of a folder in the order of their keys. Throws the error of the file system. */
export function readFolder(folder: string): FolderName[] {
  const dirents = readdirSync(folder, { withFileTypes: true });
  const broken = brokenNames(folder, dirents);
  const names = dirents.map((dirent): FolderName => {
    const { name } = dirent;
    const encoded = keyOfPath(name).slice(1);
    const problem = broken?.has(name) ? 'its name is not UTF-8' : encoded === name ? undefined : nameProblem(name);
    const order = dirent.isDirectory() ? `${encoded}/` : encoded;
    return problem === undefined ? { name, order, dirent } : { name, order, dirent, problem };
  });
  return names.sort((a, b) => (a.order < b.order ? -1 : 1));
}

/** Names that are not UTF-8 contain U+FFFD in place of their bytes, so the bytes are checked only for those. */
function brokenNames(folder: string, dirents: readonly Dirent[]): ReadonlySet<string> | undefined {
  if (!dirents.some(({ name }) => name.includes('\ufffd'))) return undefined;
  const names = readdirSync(folder, { encoding: 'buffer' });
  return new Set(names.filter((name) => !isUtf8(name)).map(String));
}
