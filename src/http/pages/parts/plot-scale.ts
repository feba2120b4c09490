/** How numbers of changes are drawn above and below the line of a plot. */
export interface Scale {
  /** The numbers that the plot reaches up and down to. */
  readonly above: number;
  readonly below: number;
  /** Height of one change. */
  readonly perChange: number;
  /** Round numbers to write beside it, 0 among them; negative below the line. */
  readonly marks: readonly number[];
}

/** A scale that holds the greatest numbers on either side, in steps that people count in. */
export function scaleOf(mostAbove: number, mostBelow: number, height: number): Scale {
  const step = stepOf((mostAbove + mostBelow) / 4);
  const up = Math.max(mostAbove === 0 && mostBelow > 0 ? 0 : 1, Math.ceil(mostAbove / step));
  const down = Math.ceil(mostBelow / step);
  const marks = Array.from({ length: up + down + 1 }, (_, at) => (at - down) * step);
  return { above: up * step, below: down * step, perChange: height / ((up + down) * step), marks };
}

/** The smallest of 1, 2, 5, 10, 20 … that is no less than a value. */
function stepOf(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value)!;
}
