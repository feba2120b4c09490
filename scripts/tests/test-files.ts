import { globSync } from 'node:fs';

/** Seconds that a file of tests took, by its path in the repository. */
export type Durations = Readonly<Record<string, number>>;

/** Run by hand: each takes minutes, or a machine of its own. */
const TRIALS = 'test/trials/';
const LONG = ['browser', 'endurance', 'fault', 'interop', 'model'].map((folder) => `test/${folder}/`);

export const GROUPS = {
  /** What the program promises, by its tests of units, ports, HTTP and commands. */
  short: (path: string) => !isLong(path),
  /** Other programs judge it, and it is killed, stopped, filled and flooded. */
  long: isLong,
} as const;

export type Group = keyof typeof GROUPS;

/** @returns paths in the repository; empty when the working directory is another */
export function filesOf(group: Group): readonly string[] {
  return globSync('test/**/*.test.ts').filter((path) => !path.startsWith(TRIALS) && GROUPS[group](path));
}

/** A file that no run has measured comes first: it may be the longest. */
export function longestFirst(files: readonly string[], durations: Durations): readonly string[] {
  const seconds = (path: string) => durations[path] ?? Number.POSITIVE_INFINITY;
  // Not a difference: that of two infinities is no number.
  return files.toSorted((a, b) => (seconds(a) === seconds(b) ? (a < b ? -1 : 1) : seconds(a) > seconds(b) ? -1 : 1));
}

function isLong(path: string): boolean {
  return LONG.some((folder) => path.startsWith(folder));
}
