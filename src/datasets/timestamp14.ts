/** A time as web archives write it: 14 digits, in UTC. @param time milliseconds since 1970 */
export const timestamp14 = (time: number): string => new Date(time).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '');
