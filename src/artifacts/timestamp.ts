const TIMESTAMP = /^(\d{4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})$/;

/** `YYYYMMDD_HHMMSS` in UTC; parts of a second are left out. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
}

/** `YYYYMMDD` in UTC. */
export function formatDate(time: Date): string {
  return formatTimestamp(time).slice(0, 8);
}

/** Undefined for what is no timestamp, or none of a time that there is. */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // The 30th of February would become another day.
  return !Number.isNaN(time.getTime()) && formatTimestamp(time) === text ? time : undefined;
}
