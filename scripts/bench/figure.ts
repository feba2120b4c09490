import type { TemporaryFolder } from './support/temporary-folder.ts';

/** One line of the table: the values of all runs, of ours and of what it is compared with. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly baseline?: { readonly name: string; readonly values: readonly number[] };
  /** What the median of ours must keep to, in its unit. */
  readonly limit?: { readonly most: number } | { readonly least: number };
}

export interface BenchOptions {
  /** How often each figure is measured. */
  readonly runs: number;
  /** What sizes are multiplied with; 1 for the sizes that the limits are meant for. */
  readonly scale: number;
  readonly folder: TemporaryFolder;
  /** Prints progress. */
  log(text: string): void;
}

/** Some figures that are measured together. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Takes so long that it runs only when it is named. */
  readonly onlyByName?: boolean;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}
