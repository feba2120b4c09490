const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/**
 * Formats a number of bytes for people: three digits, four from 1000 to 1023; units are powers of 1024, as in
 * settings.
 */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.5 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value < 999.5 ? value.toPrecision(3) : Math.round(value)} ${UNITS[unit]}`;
}
