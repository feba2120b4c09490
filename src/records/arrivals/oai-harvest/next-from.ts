import type { RepositoryDescription } from './repository-description.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/**
 * The datestamp from which the next run asks: the date of the first answer of this one, less one granule, by the clock
 * of the repository. What changed while the list was read has a later one.
 * @param responseDate in UTC
 */
export function nextFrom(responseDate: string, granularity: RepositoryDescription['granularity']): string {
  const time = Date.parse(responseDate) - (granularity === 'day' ? DAY_MS : SECOND_MS);
  const text = new Date(time).toISOString();
  return granularity === 'day' ? text.slice(0, 10) : `${text.slice(0, 19)}Z`;
}
