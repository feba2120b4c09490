const TIMESTAMP = /^(\d{4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})$/;

/** `YYYYMMDD_HHMMSS` in UTC; fractions of a second are dropped. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
}

/** `YYYYMMDD` in UTC. */
export function formatDate(time: Date): string {
  return formatTimestamp(time).slice(0, 8);
}

/** Parses a timestamp; undefined when it is invalid, or the time does not exist. */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // `Date` would turn the 30th of February into another day.
  return !Number.isNaN(time.getTime()) && formatTimestamp(time) === text ? time : undefined;
}
