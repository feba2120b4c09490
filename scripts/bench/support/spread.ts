export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: percentile(values, 50), least: Math.min(...values), most: Math.max(...values) };
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that so many percent of the values do not exceed; between two of them for an even median. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  if (percent === 50 && sorted.length % 2 === 0) {
    return (sorted[sorted.length / 2 - 1]! + sorted[sorted.length / 2]!) / 2;
  }
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}

/** Seconds since a time of `performance.now()`. */
export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
