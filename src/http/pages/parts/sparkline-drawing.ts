import { Html } from './html.ts';
import { counted } from './words.ts';

const STEP = 4;
const HEIGHT = 18;

/** Changes of the last days as small columns, with their number for users who do not see them. */
export function sparklineDrawing(counts: readonly number[], what = 'change'): Html {
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const columns = counts.map((count, at) => {
    if (count === 0) return '';
    const height = Math.max(1.5, Math.round((count / most) * HEIGHT * 10) / 10);
    return `M${at * STEP} ${HEIGHT}v-${height}h${STEP - 1}v${height}z`;
  });
  const label = `${counted(total, what)} in the last ${counts.length} days`;
  const width = counts.length * STEP - 1;
  return new Html(
    `<svg class="sparkline" viewBox="0 0 ${width} ${HEIGHT + 1}" width="${width}" height="${HEIGHT + 1}" role="img" aria-label="${label}"><title>${label}</title><path d="${columns.join('')}"/><line x1="0" x2="${width}" y1="${HEIGHT + 0.5}" y2="${HEIGHT + 0.5}"/></svg>`,
  );
}
