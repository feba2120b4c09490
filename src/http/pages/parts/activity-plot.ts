import type { TimeUnit } from '../../../core/time-unit.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { ChangeCounts } from '../../../stores/set-statistics.ts';
import { Html, html } from './html.ts';
import { scaleOf } from './plot-scale.ts';
import { table } from './tables.ts';
import { counted, formatClock, formatDay } from './words.ts';

/** Numbers of changes in a period, one entry for each hour or day, even without a change. */
export interface Series {
  readonly unit: TimeUnit;
  readonly counts: readonly ChangeCounts[];
}

/** Size of the drawing in its own units: about pixels on a narrow screen. */
const WIDTH = 480;
const HEIGHT = 190;
const LEFT = 44;
const TOP = 10;
const BOTTOM = 28;

const TITLES: Readonly<Record<TimeUnit, string>> = {
  day: 'Changes per day (UTC), the last 30 days',
  hour: 'Changes per hour (UTC), the last 48 hours',
};

/**
 * The changes of each hour or day as columns: created and updated resources above the line, deleted ones below it. They
 * differ by place and pattern, not only by colour. The same numbers follow as a table.
 */
export function activityPlot(series: Series): Html {
  const title = TITLES[series.unit];
  return html`<figure class="plot" aria-label="${title}">
<h3>${title}</h3>
${legend(series.unit)}
${drawing(series)}
${asTable(series)}
</figure>`;
}

function drawing({ unit, counts }: Series): Html {
  const above = Math.max(0, ...counts.map(({ created, updated }) => created + updated));
  const below = Math.max(0, ...counts.map(({ deleted }) => deleted));
  const scale = scaleOf(above, below, HEIGHT - TOP - BOTTOM);
  const zero = TOP + scale.above * scale.perChange;
  const step = (WIDTH - LEFT) / counts.length;
  const y = (value: number) => round(zero - value * scale.perChange);
  const lines = scale.marks.map((mark) =>
    svg(`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${y(mark)}" y2="${y(mark)}"/>`),
  );
  const labels = scale.marks.map(
    (mark) =>
      html`${svg(`<text x="${LEFT - 6}" y="${y(mark) + 4}" text-anchor="end">`)}${formatCount(Math.abs(mark))}${svg('</text>')}`,
  );
  const columns = counts.map((count, at) => column(count, { unit, x: LEFT + at * step, step, y }));
  const dates = counts.map(
    (count, at) =>
      isLabelled(unit, counts, at) &&
      html`${svg(`<text x="${round(LEFT + (at + 0.5) * step)}" y="${HEIGHT - 6}" text-anchor="middle">`)}${label(unit, count)}${svg('</text>')}`,
  );
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary({ unit, counts })}">
${patterns(unit)}${lines}${columns}<line class="axis" x1="${LEFT}" x2="${WIDTH}" y1="${round(zero)}" y2="${round(zero)}"/>${labels}${dates}
</svg>`;
}

interface Placing {
  readonly unit: TimeUnit;
  readonly x: number;
  readonly step: number;
  readonly y: (value: number) => number;
}

function column(count: ChangeCounts, { unit, x, step, y }: Placing): Html {
  const { created, updated, deleted } = count;
  const bar = (kind: string, from: number, to: number) =>
    from === to
      ? ''
      : `<rect class="${kind}" fill="url(#${kind}-${unit})" x="${round(x + step * 0.14)}" width="${round(step * 0.72)}" y="${y(to)}" height="${Math.max(1, round(y(from) - y(to)))}"/>`;
  return html`<g class="column"><title>${timeOf(unit, count)}: ${describe(count)}</title>${svg(
    `<rect class="back" x="${round(x)}" width="${round(step)}" y="${TOP}" height="${HEIGHT - TOP - BOTTOM}"/>` +
      bar('created-bar', 0, created) +
      bar('updated-bar', created, created + updated) +
      bar('deleted-bar', -deleted, 0),
  )}</g>`;
}

/** Patterns: solid, striped, dotted. Their names contain the unit: two drawings of one page must not share them. */
function patterns(unit: string): Html {
  return svg(`<defs>
<pattern id="created-bar-${unit}" width="4" height="4" patternUnits="userSpaceOnUse"><rect class="in" width="4" height="4"/></pattern>
<pattern id="updated-bar-${unit}" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="new" width="4" height="4" stroke="none"/><line class="line" x1="1" x2="1" y1="0" y2="4" stroke-width="1.6"/></pattern>
<pattern id="deleted-bar-${unit}" width="4" height="4" patternUnits="userSpaceOnUse"><rect class="out" width="4" height="4" stroke="none"/><circle class="dot" cx="2" cy="2" r="1.3"/></pattern>
</defs>`);
}

function legend(unit: string): Html {
  const mark = (kind: string) =>
    svg(
      `<svg viewBox="0 0 12 12" aria-hidden="true"><rect class="${kind}" x=".5" y=".5" width="11" height="11" fill="url(#${kind}-${unit})"/></svg>`,
    );
  return html`<ul class="legend"><li>${mark('created-bar')}created</li><li>${mark('updated-bar')}updated</li><li>${mark('deleted-bar')}deleted, below the line</li></ul>`;
}

/** A sentence that describes the drawing, for users who do not see it. */
function summary({ unit, counts }: Series): string {
  const sum = (kind: 'created' | 'updated' | 'deleted') => counts.reduce((total, count) => total + count[kind], 0);
  const totals = { created: sum('created'), updated: sum('updated'), deleted: sum('deleted') };
  return `${TITLES[unit]}: ${describe(totals)} in all. The table below has the numbers of each ${unit}.`;
}

function describe({ created, updated, deleted }: Omit<ChangeCounts, 'start'>): string {
  return `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`;
}

function asTable({ unit, counts }: Series): Html {
  const busy = counts.filter(({ created, updated, deleted }) => created + updated + deleted > 0).toReversed();
  const columns = (['created', 'updated', 'deleted'] as const).map((kind) => ({
    name: kind,
    style: 'number',
    cell: (count: ChangeCounts) => formatCount(count[kind]),
  }));
  return html`<details><summary>As a table</summary>
${
  busy.length === 0
    ? html`<p class="quiet">There was no change in this time.</p>`
    : table(`${TITLES[unit]}, as a table`, busy, [
        {
          name: unit === 'day' ? 'Day' : 'Hour',
          style: 'short',
          isHead: true,
          cell: (count: ChangeCounts) => timeOf(unit, count),
        },
        ...columns,
      ])
}
<p class="quiet">${counted(counts.length - busy.length, unit)} without a change. Days and hours are those of UTC.</p></details>`;
}

/** Labels every week of days, and every half day of hours. */
function isLabelled(unit: TimeUnit, counts: readonly ChangeCounts[], at: number): boolean {
  if (unit === 'hour')
    return new Date(counts[at]!.start / 1000).getUTCHours() % 12 === 0 && at > 1 && at < counts.length - 2;
  return (counts.length - 1 - at) % 7 === 3;
}

function label(unit: TimeUnit, { start }: ChangeCounts): string {
  const date = new Date(start / 1000);
  return unit === 'day' || date.getUTCHours() === 0 ? formatDay(date) : formatClock(date);
}

function timeOf(unit: TimeUnit, { start }: ChangeCounts): string {
  const date = new Date(start / 1000);
  return unit === 'day' ? formatDay(date) : `${formatDay(date)}, ${formatClock(date)}`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function svg(markup: string): Html {
  return new Html(markup);
}
