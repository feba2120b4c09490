import type { OverviewOrder, OverviewRow, OverviewSort } from '../../../api/overview-view.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { type Html, html } from '../parts/html.ts';
import { queryOf } from '../parts/pager.ts';
import { sparklineDrawing } from '../parts/sparkline-drawing.ts';
import { type Column, stackingTable } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';
import { privateBadge } from './organization-frame.ts';

interface OverviewColumn extends Column<OverviewRow> {
  /** What its name, which is a link, sorts by; absent for a column that orders nothing. */
  readonly sort?: OverviewSort;
}

/** The state of organizations; the name of a column is a link that sorts by it. */
export function overviewTable(rows: readonly OverviewRow[], order: OverviewOrder, now: number): Html {
  const count = (name: string, sort: OverviewSort, countOf: (row: OverviewRow) => number): OverviewColumn => ({
    ...{ name, sort, style: 'number' },
    cell: (row) => formatCount(countOf(row)),
  });
  const columns: readonly OverviewColumn[] = [
    {
      name: 'Organization',
      sort: 'organization',
      style: 'name title',
      isHead: true,
      cell: (row) =>
        html`<a href="./${row.organization}/">${row.title ?? row.organization}</a> ${row.title !== undefined && html`<span class="id">${row.organization}</span>`} ${privateBadge(row)}`,
    },
    { name: 'Last upload', sort: 'last-upload', style: 'short', cell: (row) => lastUpload(row, now) },
    {
      name: 'Failures',
      sort: 'failures',
      style: 'number',
      cell: ({ failures }) =>
        failures === 0 ? '0' : html`<span class="state failing">${formatCount(failures)}</span>`,
    },
    count('Waiting', 'waiting', ({ waiting }) => waiting),
    count('Records', 'records', ({ records }) => records),
    {
      name: 'Full dump',
      sort: 'full-dump',
      style: 'short',
      cell: ({ lastFullDump }) => timeOf(lastFullDump, now) ?? 'none',
    },
    { name: 'Delta', sort: 'delta', style: 'short', cell: ({ lastDelta }) => timeOf(lastDelta, now) ?? 'none' },
    { name: 'Size', sort: 'size', style: 'number', cell: ({ bytes }) => formatBytes(bytes) },
    { name: 'Uploads in 30 days', style: 'wide', cell: ({ days }) => sparklineDrawing(days, 'upload') },
  ];
  const linked = columns.map((column) => withLink(column, order));
  // On a phone, where a row is a block, the table has no head.
  return html`<p class="sorts">Sort by ${linked.flatMap(({ heading }) => (heading === undefined ? [] : [heading, ' ']))}</p>
${stackingTable('Organizations', rows, linked)}`;
}

/** Makes the name of a column a link that sorts by it: the other way round when the rows are sorted by it already. */
function withLink(column: OverviewColumn, { sort, order }: OverviewOrder): OverviewColumn {
  if (column.sort === undefined) return column;
  const isSorted = column.sort === sort;
  const first = column.sort === 'organization' ? 'asc' : 'desc';
  const other = order === 'asc' ? 'desc' : 'asc';
  const mark = isSorted && html` <span aria-hidden="true">${order === 'asc' ? '↑' : '↓'}</span>`;
  return {
    ...column,
    heading: html`<a href="${queryOf({ sort: column.sort, order: isSorted ? other : first })}">${column.name}${mark}</a>`,
    sorted: isSorted ? (order === 'asc' ? 'ascending' : 'descending') : undefined,
  };
}

function lastUpload({ organization, lastUpload: last }: OverviewRow, now: number): Html | string {
  if (last === undefined) return 'never';
  const page = `./${organization}/streams/${last.stream}/uploads/${last.number}/`;
  return html`<a href="${page}">${timeOf(last.received, now)}</a>${last.by?.name !== undefined && html`<span class="more-of">by ${last.by.name}</span>`}`;
}
