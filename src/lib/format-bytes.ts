const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes for people: three digits, units of 1024 as in settings. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${UNITS[unit]}`;
}
