/** The scale of a plot, above and below its line. */
interface Scale {
  /** The greatest numbers above and below: the plot ends there, so that no part of it is empty. */
  readonly above: number;
  readonly below: number;
  /** Height of one change. */
  readonly perChange: number;
  /** Round numbers for labels, including 0; negative below the line. */
  readonly marks: readonly number[];
}

/** A scale that ends at the greatest numbers on either side, with marks at round steps. */
export function scaleOf(mostAbove: number, mostBelow: number, height: number): Scale {
  const above = mostAbove === 0 && mostBelow === 0 ? 1 : mostAbove;
  const step = stepOf((above + mostBelow) / 4, Math.max(above, mostBelow));
  const up = Math.floor(above / step);
  const down = Math.floor(mostBelow / step);
  const marks = Array.from({ length: up + down + 1 }, (_, at) => (at - down) * step);
  return { above, below: mostBelow, perChange: height / (above + mostBelow), marks };
}

/** The smallest of 1, 2, 5, 10, 20 … that is at least a value, but at most `most`. */
function stepOf(value: number, most: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)));
  const steps = [1, 2, 5, 10].map((factor) => factor * power).filter((step) => step <= most);
  return steps.find((step) => step >= value) ?? steps.at(-1)!;
}
