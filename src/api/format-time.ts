/** A time in milliseconds since 1970 as views have it. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
