import type { HashAlgorithm } from '../../core/hash.ts';
import { pathOfKey, type ResourceKey, uriLengthFault } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { FileEntry, RootProblem } from '../content-root.ts';
import type { RememberedFile } from './file-memory.ts';
import type { FileRow } from './file-rows.ts';
import { lastmodOf } from './file-times.ts';

/** What a sync has to do for a row. */
type FileAction =
  | { readonly todo: 'nothing' }
  | { readonly todo: 'hash'; readonly file: FileEntry }
  /** The file is unchanged, but was remembered by an earlier version of this program. */
  | { readonly todo: 'remember'; readonly remember: RememberedFile }
  | { readonly todo: 'delete' }
  | { readonly todo: 'forget' }
  | { readonly todo: 'report'; readonly problem: RootProblem };

export interface ClassifierRules {
  readonly set: ResourceSet;
  readonly rehash: boolean;
  /** Hash algorithms that every digest of the root contains. */
  readonly hashes: readonly HashAlgorithm[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * A file may be written twice within one tick of the clock of its file system: an mtime younger than this does not
 * prove that the file is unchanged.
 */
const RACY_NANOSECONDS = 2_000_000_000n;

/** Classifies rows in ascending order of their keys: it has to know which paths could not be listed. */
export class FileClassifier {
  readonly #rules: ClassifierRules;
  /** Keys that could not be listed: whether they, or keys below them, exist is unknown. */
  #unknown: ResourceKey[] = [];

  constructor(rules: ClassifierRules) {
    this.#rules = rules;
  }

  classify({ key, file, resource, remembered, problem }: FileRow): FileAction {
    if (problem !== undefined) {
      this.#unknown.push(key);
      return { todo: 'report', problem };
    }
    if (file !== undefined) return this.#classifyFile({ key, file, resource, remembered });
    if (this.#isUnknown(key)) return { todo: 'nothing' };
    // A key that no file can have (it contains a query) was posted by another client.
    if (resource !== undefined) return { todo: pathOfKey(key) === undefined ? 'nothing' : 'delete' };
    return { todo: 'forget' };
  }

  #classifyFile({ key, file, resource, remembered }: FileRow & { readonly file: FileEntry }): FileAction {
    const { set, rehash } = this.#rules;
    const fault = uriLengthFault(set.urlPrefix, key);
    if (fault !== undefined) {
      return { todo: 'report', problem: { path: file.path, problem: `its URI would have ${fault.text}` } };
    }
    if (rehash || resource === undefined || !isRemembered(file, remembered)) return { todo: 'hash', file };
    if (set.keepVersions === true && remembered.isKept !== true) return { todo: 'hash', file };
    if (!isStateOf(resource.state, file, this.#rules)) return { todo: 'hash', file };
    if (!isWithoutTag(remembered, file)) return { todo: 'nothing' };
    return { todo: 'remember', remember: { ...remembered, tag: file.tag } };
  }

  #isUnknown(key: ResourceKey): boolean {
    if (this.#unknown.length === 0) return false;
    // Keys ascend, so earlier keys are dropped once all keys at or below them have passed.
    this.#unknown = this.#unknown.filter((unknown) => key < `${unknown}0`);
    return this.#unknown.some((unknown) => key === unknown || key.startsWith(`${unknown}/`));
  }
}

function isRemembered(file: FileEntry, remembered: RememberedFile | undefined): remembered is RememberedFile {
  const { length, mtime, tag, changed } = file;
  if (remembered === undefined || remembered.length !== length || remembered.mtime !== mtime) return false;
  if (isWithoutTag(remembered, file)) {
    if (remembered.scanned - changed! < RACY_NANOSECONDS) return false;
  } else if (remembered.tag !== tag) return false;
  if (tag !== undefined && changed === undefined) return true;
  const age = remembered.scanned - mtime;
  return age >= RACY_NANOSECONDS || age <= -RACY_NANOSECONDS;
}

/**
 * Whether the file was remembered by a version of this program that stored no tags for files of folders. Such a file is
 * unchanged if its `changed` is older than the scan.
 */
function isWithoutTag(remembered: RememberedFile, { changed }: FileEntry): boolean {
  return remembered.tag === undefined && changed !== undefined;
}

/**
 * Whether a state is the one that a sync would post for the file, as far as that can be known without hashing. A client
 * may have posted another state.
 */
function isStateOf(state: ResourceState, { length, mtime }: FileEntry, { hashes, now }: ClassifierRules): boolean {
  const hashed = hashes.every((algorithm) => state.hashes?.[algorithm] !== undefined);
  return state.hashes !== undefined && hashed && state.length === length && state.lastmod === lastmodOf(mtime, now);
}
