/** Seconds of each unit, and the text for one unit ago. */
const UNITS = [
  ['year', 31_557_600, 'last year'],
  ['month', 2_629_800, 'last month'],
  ['day', 86_400, 'yesterday'],
  ['hour', 3600, '1 hour ago'],
  ['minute', 60, '1 minute ago'],
] as const;

/** How long ago a time was. Both times are in milliseconds since 1970. */
export function formatAgo(time: number, now: number): string {
  const seconds = Math.round((now - time) / 1000);
  if (seconds < 5) return 'just now';
  for (const [unit, length, one] of UNITS) {
    const count = Math.floor(seconds / length);
    if (count > 0) return count === 1 ? one : `${count} ${unit}s ago`;
  }
  return `${seconds} seconds ago`;
}
