import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { ContentRoot, FileEntry } from '../content-root.ts';
import { isHiddenPath } from '../hidden-files.ts';
import type { CompareOptions, Difference, SyncStep } from '../source.ts';
import { FileClassifier } from './classify-file.ts';
import { describeFile } from './describe-file.ts';
import type { FileMemory, RememberedFile } from './file-memory.ts';
import { type FileRow, fileRows } from './file-rows.ts';
import { type VersionStore, VersionWriter } from './version-writer.ts';

export interface ComparedFiles {
  readonly set: ResourceSet;
  readonly root: ContentRoot;
  readonly memory: FileMemory;
  readonly index: ResourceIndex;
  /** Present for a set that keeps versions. */
  readonly versions?: VersionStore | undefined;
}

type Options = Pick<CompareOptions, 'under' | 'rehash' | 'dryRun' | 'counter' | 'signal'>;

/** What a sync does for one key. */
interface Finding {
  readonly key: FileRow['key'];
  /** Absent when the state does not change. */
  readonly difference?: Difference;
  /** What to remember of the file; absent when the key is to be forgotten. */
  readonly remember?: RememberedFile;
}

type RowOfFile = FileRow & { readonly file: FileEntry };

const PATHS_AT_ONCE = 8;
/** A step ends at this many findings, or when 256 MB of files wait to be read for it. */
const MOST_FINDINGS = 1_000;
/**
 * The same where versions are kept. Each step flushes the file system, which takes as long for many files as for few.
 */
const MOST_FINDINGS_WITH_BYTES = 4_000;
const MOST_BYTES = 268_435_456;

/**
 * Compares the files of a root with the state of its set. Whether anything exists below a path that cannot be read is
 * unknown: its state is not changed.
 */
export async function* compareFiles(files: ComparedFiles, options: Options): AsyncGenerator<SyncStep> {
  const comparison = new FileComparison(files, options);
  for await (const rows of rowsOf(files, options)) {
    options.signal?.throwIfAborted();
    for (const row of rows) {
      comparison.add(row);
      if (comparison.isFull) yield await comparison.step();
    }
  }
  yield await comparison.step();
}

/**
 * The rows of one path after the other. Some paths are started early, since each waits for responses of its root and of
 * the store.
 */
async function* rowsOf(files: ComparedFiles, { under, counter }: Options): AsyncGenerator<readonly FileRow[]> {
  const paths = outermost(under ?? ['']);
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const begun = paths.slice(at, at + PATHS_AT_ONCE).map((path) => {
      const rows = fileRows({ ...files, set: files.set.id, onSkipped: (skipped) => counter.skipped(skipped) }, path);
      const first = rows.next();
      // The error is thrown when the rows of this path are read; a caller that stops earlier does not need it.
      first.catch(() => {});
      return { rows, first };
    });
    try {
      for (const { rows, first } of begun) {
        const { value, done } = await first;
        if (!done) yield value;
        yield* rows;
      }
    } finally {
      for (const { rows } of begun) await rows.return(undefined);
    }
  }
}

class FileComparison {
  readonly #files: ComparedFiles;
  readonly #options: Options;
  readonly #classifier: FileClassifier;
  /** Whether these are files of a user, and no copy of another source. */
  readonly #isRoot: boolean;
  readonly #versions: VersionWriter | undefined;
  #findings: Finding[] = [];
  #toDescribe: RowOfFile[] = [];
  #bytesToRead = 0;

  constructor(files: ComparedFiles, options: Options) {
    const { set, root } = files;
    this.#isRoot = traitsOf(set.origin).root !== undefined;
    this.#files = files;
    this.#options = options;
    const { rehash = false } = options;
    if (files.versions !== undefined && !options.dryRun) this.#versions = new VersionWriter(files.versions, root);
    this.#classifier = new FileClassifier({ set, rehash, hashes: root.hashes, now: Date.now() });
  }

  get isFull(): boolean {
    const most = this.#versions === undefined ? MOST_FINDINGS : MOST_FINDINGS_WITH_BYTES;
    return this.#findings.length + this.#toDescribe.length >= most || this.#bytesToRead >= MOST_BYTES;
  }

  add(row: FileRow): void {
    const { key, file, resource } = row;
    const { counter } = this.#options;
    if (file !== undefined) this.#count(file);
    const action = this.#classifier.classify(row);
    switch (action.todo) {
      case 'nothing':
        if (file !== undefined) counter.unchanged();
        break;
      case 'hash':
        this.#toDescribe.push({ ...row, file: action.file });
        this.#bytesToRead += action.file.toRead ?? action.file.length;
        break;
      case 'remember':
        counter.unchanged();
        this.#findings.push({ key, remember: action.remember });
        break;
      case 'delete':
        this.#findings.push({ key, difference: { key, state: undefined, known: resource?.state } });
        break;
      case 'forget':
        this.#findings.push({ key });
        break;
      case 'report':
        counter.problem(action.problem);
        break;
    }
  }

  #count({ path }: FileEntry): void {
    const { counter } = this.#options;
    counter.file();
    // Another source has published what is copied.
    if (this.#isRoot && isHiddenPath(path)) counter.hidden(path);
  }

  /** Describes the files that wait to be described, and ends the step. */
  async step(): Promise<SyncStep> {
    const findings = this.#findings;
    const toDescribe = this.#toDescribe;
    const next = toDescribe.values();
    this.#findings = [];
    this.#toDescribe = [];
    this.#bytesToRead = 0;
    const { root, memory } = this.#files;
    if (toDescribe.length > 0) await this.#versions?.begin();
    // Each takes the next file when it has finished its last one.
    const describing = Array.from({ length: root.digestsAtOnce }, () => this.#describeEach(next, findings));
    try {
      await Promise.all(describing);
    } catch (error) {
      // Empties the iterator, so that the others end after their current file.
      for (const _ of next);
      await Promise.allSettled(describing);
      await this.#versions?.discard();
      throw error;
    }
    const stored = this.#versions?.stored();
    // Posting the step throws the error.
    stored?.catch(() => {});
    return {
      stored,
      differences: findings.flatMap(({ difference }) => difference ?? []),
      onCommitted: () =>
        memory.update({
          remember: findings.flatMap(({ remember }) => remember ?? []),
          forget: findings.flatMap(({ key, remember }) => (remember === undefined ? key : [])),
        }),
    };
  }

  async #describeEach(rows: IterableIterator<RowOfFile>, findings: Finding[]): Promise<void> {
    const { counter, signal } = this.#options;
    for (let next = rows.next(); !next.done; next = rows.next()) {
      signal?.throwIfAborted();
      const { key, file, resource } = next.value;
      const { root } = this.#files;
      const known = resource?.state;
      const described = await describeFile({ root, file, signal, known, versions: this.#versions });
      if (described === 'left') counter.left();
      else if ('problem' in described) counter.problem(described);
      else {
        const { state, remember } = described;
        counter.hashed(remember.length);
        findings.push({ key, remember, difference: { key, state, known } });
      }
    }
  }
}

/** The paths that are not below another of the paths, in order. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  if (all.has('')) return [''];
  return [...all].filter((path) => !ancestors(path).some((above) => all.has(above))).sort();
}

function ancestors(path: string): readonly string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}
