import type { Exclusions } from '../../lib/glob/exclusions.ts';
import { isHidden } from '../../lib/glob/exclusions.ts';
import type { RootEntry } from '../content-root.ts';
import { pathProblem } from '../name-problem.ts';
import { looksPlain } from './object-hashes.ts';
import type { S3Object } from './source-bucket.ts';

/** The entry that a root lists for an object; undefined when it is left out. */
export type EntryOf = (object: S3Object) => RootEntry | undefined;

export function entriesOf(excludes: Exclusions): EntryOf {
  let folder = '';
  let isFolderHidden = false;
  return (object) => {
    const path = object.path.toWellFormed();
    // A folder made by a console is an empty object, and has no meaning where folders are only parts of names.
    if (path === '' || (path.endsWith('/') && object.length === 0)) return undefined;
    const slash = path.lastIndexOf('/') + 1;
    // Names of one folder follow each other.
    if (!path.startsWith(folder) || slash !== folder.length) {
      folder = path.slice(0, slash);
      isFolderHidden = isHidden(excludes, folder);
    }
    if (isFolderHidden || excludes(path, false)) return undefined;
    const problem = pathProblem(path);
    if (problem !== undefined) return { path, problem };
    const { length, mtime, etag } = object;
    if (etag === undefined) return { path, length, mtime };
    return { path, length, mtime, tag: etag, toRead: looksPlain(etag) ? 0 : length };
  };
}
