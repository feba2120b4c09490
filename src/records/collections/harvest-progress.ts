import type { JobProgress } from '../../stores/job.ts';
import type { HarvestRun } from './harvest-run.ts';

/** Records of how many, when each of its lists has said that. */
export function progressOf({ lists }: Pick<HarvestRun, 'lists'>): JobProgress {
  const done = lists.reduce((sum, { records }) => sum + records, 0);
  const pages = lists.reduce((sum, list) => sum + list.pages, 0);
  const sizes = lists.map(({ completeListSize }) => completeListSize ?? Number.NaN);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return {
    done,
    ...(Number.isFinite(total) && { total }),
    text: `records in ${pages} ${pages === 1 ? 'page' : 'pages'}`,
  };
}
