import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { ChangeKind } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { RootProblem } from '../content-root.ts';
import type { ScanProgress, ScanSummary } from '../sync/scan-summary.ts';
import type { ComparisonStep } from './compare-records.ts';

/** What a comparison did, in the words of a scan: its records are the files. */
export interface RecordsSummary extends ScanSummary {
  readonly artifact: ObjectKey;
  /** Records that another one of the same id came after in the file. */
  readonly duplicates: number;
  /** The keys of the first hundred. */
  readonly duplicateKeys: readonly ResourceKey[];
}

const MOST_PROBLEMS = 1_000;

/** Counts what a comparison finds, and what came of it. */
export class RecordsCounter {
  readonly #began = performance.now();
  readonly #kinds: Record<ChangeKind, number> = { created: 0, updated: 0, deleted: 0 };
  readonly #problems: RootProblem[] = [];
  readonly #duplicateKeys: ResourceKey[] = [];
  #problemCount = 0;
  #step: Pick<ComparisonStep, 'read' | 'compared' | 'bytes' | 'unchanged' | 'duplicates'> | undefined;
  /** Differences that somebody else had posted before. */
  #known = 0;

  step(step: ComparisonStep): void {
    this.#step = step;
    this.#duplicateKeys.push(...step.duplicateKeys);
    this.#problemCount += step.problems.length;
    for (const { key, problem } of step.problems) {
      if (this.#problems.length < MOST_PROBLEMS) this.#problems.push({ path: key, problem });
    }
  }

  changed(kind: ChangeKind): void {
    this.#kinds[kind] += 1;
  }

  known(): void {
    this.#known += 1;
  }

  progress(): ScanProgress {
    const { read = 0, bytes = 0 } = this.#step ?? {};
    return { files: read, hashed: read, bytes };
  }

  summary(artifact: ObjectKey): RecordsSummary {
    return {
      ...this.progress(),
      ...this.#kinds,
      artifact,
      files: this.#step?.compared ?? 0,
      unchanged: (this.#step?.unchanged ?? 0) + this.#known,
      duplicates: this.#step?.duplicates ?? 0,
      duplicateKeys: this.#duplicateKeys,
      left: 0,
      problems: this.#problems,
      problemCount: this.#problemCount,
      seconds: (performance.now() - this.#began) / 1000,
    };
  }
}
