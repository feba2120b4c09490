import * as z from 'zod';
import type { OrganizationFigures } from '../records/overview/overview.ts';
import { count, datetime, formatTime } from './fields.ts';
import { senderSchema, senderView } from './sender-view.ts';

/** The shapes of the overview of organizations in the JSON API. */

const overviewRowSchema = z
  .strictObject({
    organization: z.string().describe('Its id.'),
    title: z.string().optional(),
    private: z.boolean(),
    lastUpload: z
      .strictObject({ stream: z.string(), number: z.int(), received: datetime, by: senderSchema.optional() })
      .optional()
      .describe('Absent before the first one.'),
    failures: count.describe('Uploads that have failed within the last 30 days, and were not processed since.'),
    waiting: count.describe('Uploads that are not processed yet.'),
    records: count.describe('Live records of its default stream and of its collections.'),
    lastFullDump: datetime.optional().describe('Of the default stream.'),
    lastDelta: datetime.optional().describe('Of the default stream.'),
    bytes: count.describe('Of all files as they came, and of the dumps that are listed.'),
    days: z.array(count).describe('Uploads on each of the last 30 days (UTC), oldest first.'),
  })
  .meta({ id: 'OrganizationOverview' });

export const overviewSchema = z.strictObject({ organizations: z.array(overviewRowSchema) });
export type OverviewRow = z.output<typeof overviewRowSchema>;

/** What the rows can be sorted by, and how a row is compared. What there never was sorts as the oldest. */
const SORTS = {
  organization: (row: OverviewRow) => row.organization,
  'last-upload': (row: OverviewRow) => row.lastUpload?.received ?? '',
  failures: (row: OverviewRow) => row.failures,
  waiting: (row: OverviewRow) => row.waiting,
  records: (row: OverviewRow) => row.records,
  'full-dump': (row: OverviewRow) => row.lastFullDump ?? '',
  delta: (row: OverviewRow) => row.lastDelta ?? '',
  size: (row: OverviewRow) => row.bytes,
} as const satisfies Readonly<Record<string, (row: OverviewRow) => string | number>>;

export type OverviewSort = keyof typeof SORTS;
export const OVERVIEW_SORTS = Object.keys(SORTS) as [OverviewSort, ...OverviewSort[]];

export interface OverviewOrder {
  readonly sort: OverviewSort;
  readonly order: 'asc' | 'desc';
}

/** The parameters that order the rows. */
export const overviewQuery = {
  sort: z.enum(OVERVIEW_SORTS).default('organization').describe('What the rows are sorted by.'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

export function overviewRows(
  figures: readonly OrganizationFigures[],
  { sort, order }: OverviewOrder,
): readonly OverviewRow[] {
  const keyOf = SORTS[sort];
  const sign = order === 'asc' ? 1 : -1;
  // A stable sort: rows that are equal stay ascending by id.
  return figures.map(rowOf).sort((one, other) => sign * compare(keyOf(one), keyOf(other)));
}

function compare(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function rowOf(figures: OrganizationFigures): OverviewRow {
  const { organization, lastUpload, lastFull, lastDelta, failed, waiting, records, bytes, days } = figures;
  const { id, title, private: isPrivate } = organization;
  return {
    organization: id,
    ...(title !== undefined && { title }),
    private: isPrivate === true,
    ...(lastUpload !== undefined && { lastUpload: lastUploadView(lastUpload) }),
    failures: failed,
    waiting,
    records,
    ...(lastFull !== undefined && { lastFullDump: formatTime(lastFull) }),
    ...(lastDelta !== undefined && { lastDelta: formatTime(lastDelta) }),
    bytes,
    days: [...days],
  };
}

function lastUploadView({ stream, number, received, by }: NonNullable<OrganizationFigures['lastUpload']>) {
  const sender = senderView(by, 'all');
  return { stream, number, received: formatTime(received), ...(sender !== undefined && { by: { ...sender } }) };
}
