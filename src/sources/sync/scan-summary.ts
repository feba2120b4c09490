import type { ChangeKind } from '../../core/change.ts';
import type { RootProblem } from '../content-root.ts';

/** How far a scan is. */
export interface ScanProgress {
  /** Files that were found. */
  readonly files: number;
  readonly hashed: number;
  /** Bytes that were hashed. */
  readonly bytes: number;
}

export interface ScanSummary extends ScanProgress {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Files whose state tells nothing new. */
  readonly unchanged: number;
  /** Files that were left for the next scan, because they vanished or were being written. */
  readonly left: number;
  /** The first problems: a thousand, when nothing else was asked for. */
  readonly problems: readonly RootProblem[];
  readonly problemCount: number;
  readonly seconds: number;
}

const MOST_PROBLEMS = 1_000;
const PROGRESS_MILLISECONDS = 100;

/** Counts what a scan does. */
export class ScanCounter {
  readonly #began = performance.now();
  readonly #onProgress: ((progress: ScanProgress) => void) | undefined;
  readonly #kinds: Record<ChangeKind, number> = { created: 0, updated: 0, deleted: 0 };
  readonly #problems: RootProblem[] = [];
  #problemCount = 0;
  #told = 0;
  #files = 0;
  #hashed = 0;
  #bytes = 0;
  #unchanged = 0;
  #left = 0;

  readonly #mostProblems: number;

  constructor(onProgress: ((progress: ScanProgress) => void) | undefined, mostProblems = MOST_PROBLEMS) {
    this.#onProgress = onProgress;
    this.#mostProblems = mostProblems;
  }

  file(): void {
    this.#files += 1;
    this.#tell();
  }

  hashed(bytes: number): void {
    this.#hashed += 1;
    this.#bytes += bytes;
    this.#tell();
  }

  changed(kind: ChangeKind): void {
    this.#kinds[kind] += 1;
  }

  unchanged(): void {
    this.#unchanged += 1;
  }

  left(): void {
    this.#left += 1;
  }

  problem(problem: RootProblem): void {
    this.#problemCount += 1;
    if (this.#problems.length < this.#mostProblems) this.#problems.push(problem);
  }

  summary(): ScanSummary {
    return {
      ...this.#progress(),
      ...this.#kinds,
      unchanged: this.#unchanged,
      left: this.#left,
      problems: this.#problems,
      problemCount: this.#problemCount,
      seconds: (performance.now() - this.#began) / 1000,
    };
  }

  #tell(): void {
    if (this.#onProgress === undefined) return;
    const now = performance.now();
    if (now - this.#told < PROGRESS_MILLISECONDS) return;
    this.#told = now;
    this.#onProgress(this.#progress());
  }

  #progress(): ScanProgress {
    return { files: this.#files, hashed: this.#hashed, bytes: this.#bytes };
  }
}
