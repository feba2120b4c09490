/** The units for counting changes: hours and days in UTC. */
export const TIME_UNITS = ['hour', 'day'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** Microseconds of each unit. */
export const MICROSECONDS: Readonly<Record<TimeUnit, number>> = { hour: 3_600_000_000, day: 86_400_000_000 };
