const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes for people, with three digits; units are powers of 1000, as in settings. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value < 999.5 ? value.toPrecision(3) : Math.round(value)} ${UNITS[unit]}`;
}
