import type { ChangeKind } from '../core/change.ts';
import type { ResourceKey } from '../core/key.ts';
import type { HiddenFiles } from '../core/resource-set.ts';
import type { SkippedEntries } from './content-root.ts';
import { withHiddenPath } from './hidden-files.ts';

/** Progress of a sync. */
export interface SyncProgress {
  /** Number of files or records found. */
  readonly files: number;
  readonly hashed: number;
  /** Bytes that were hashed. */
  readonly bytes: number;
}

export interface SyncSummary extends SyncProgress, Partial<RecordsSummary> {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Number of files or records whose state is the same. */
  readonly unchanged: number;
  /** Number of files left for the next sync, because they were deleted or written meanwhile. */
  readonly left: number;
  /** Number of links and special files that were skipped; undefined when there was none. */
  readonly skipped?: SkippedEntries;
  /** The hidden files among those found; undefined when there was none. */
  readonly hidden?: HiddenFiles;
  /** Paths of the skipped entries that were compared by their own paths, as happens while a folder is watched. */
  readonly skippedPaths?: readonly string[];
  /** The first problems, by default at most a thousand. */
  readonly problems: readonly CountedProblem[];
  readonly problemCount: number;
  readonly seconds: number;
}

/** Additional results of a sync with the records of an artifact. */
interface RecordsSummary {
  /** Key in the artifact store. */
  readonly artifact: string;
  /** Number of records that a later record with the same id replaces. */
  readonly duplicates: number;
  /** The keys of the first hundred. */
  readonly duplicateKeys: readonly ResourceKey[];
}

interface CountedProblem {
  readonly path: string;
  readonly problem: string;
}

export interface CounterOptions {
  /** Called at most every 100 milliseconds. */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** Most problems in the summary. */
  readonly mostProblems?: number | undefined;
}

const MOST_PROBLEMS = 1_000;
const PROGRESS_MILLISECONDS = 100;

/** Counts the work of a sync: the source counts what it finds, `sync` what was posted. */
export class SyncCounter {
  readonly #began = performance.now();
  readonly #onProgress: ((progress: SyncProgress) => void) | undefined;
  readonly #mostProblems: number;
  readonly #kinds: Record<ChangeKind, number> = { created: 0, updated: 0, deleted: 0 };
  readonly #problems: CountedProblem[] = [];
  #problemCount = 0;
  #reported = 0;
  #progress: SyncProgress = { files: 0, hashed: 0, bytes: 0 };
  #unchanged = 0;
  #left = 0;
  #skipped: SkippedEntries = { links: 0, special: 0 };
  readonly #skippedPaths: string[] = [];
  #hidden: HiddenFiles | undefined;
  #records: RecordsSummary | undefined;

  constructor({ onProgress, mostProblems = MOST_PROBLEMS }: CounterOptions = {}) {
    this.#onProgress = onProgress;
    this.#mostProblems = mostProblems;
  }

  /** Number of files or records so far. */
  get files(): number {
    return this.#progress.files;
  }

  file(): void {
    const { files } = this.#progress;
    this.reach({ ...this.#progress, files: files + 1 });
  }

  hashed(length: number): void {
    const { files, hashed, bytes } = this.#progress;
    this.reach({ files, hashed: hashed + 1, bytes: bytes + length });
  }

  /** Sets the progress, for a source that counts by itself. */
  reach(progress: SyncProgress): void {
    this.#progress = progress;
    if (this.#onProgress === undefined) return;
    const now = performance.now();
    if (now - this.#reported < PROGRESS_MILLISECONDS) return;
    this.#reported = now;
    this.#onProgress(progress);
  }

  changed(kind: ChangeKind): void {
    this.#kinds[kind] += 1;
  }

  unchanged(more = 1): void {
    this.#unchanged += more;
  }

  left(): void {
    this.#left += 1;
  }

  skipped({ links, special, path }: SkippedEntries): void {
    this.#skipped = { links: this.#skipped.links + links, special: this.#skipped.special + special };
    if (path !== undefined) this.#skippedPaths.push(path);
  }

  /** Counts a hidden file, besides `file`. */
  hidden(path: string): void {
    this.#hidden = withHiddenPath(path, this.#hidden);
  }

  records(records: RecordsSummary): void {
    this.#records = records;
  }

  problem({ path, problem }: CountedProblem): void {
    this.#problemCount += 1;
    if (this.#problems.length < this.#mostProblems) this.#problems.push({ path, problem });
  }

  summary(): SyncSummary {
    return {
      ...this.#progress,
      ...this.#kinds,
      ...this.#records,
      unchanged: this.#unchanged,
      left: this.#left,
      ...(this.#skipped.links + this.#skipped.special > 0 && { skipped: this.#skipped }),
      ...(this.#hidden && { hidden: this.#hidden }),
      ...(this.#skippedPaths.length > 0 && { skippedPaths: this.#skippedPaths }),
      problems: this.#problems,
      problemCount: this.#problemCount,
      seconds: (performance.now() - this.#began) / 1000,
    };
  }
}
