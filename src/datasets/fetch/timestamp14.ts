/** A time as web archives write it: 14 digits, in UTC. @param ms milliseconds since 1970 */
export const digits14 = (ms: number): string => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
