import * as z from 'zod';
import type { StreamName } from '../records/stream-set-names.ts';
import type { StreamStatistics } from '../records/stream-statistics.ts';
import { count } from './fields.ts';

export const streamStatisticsSchema = z
  .strictObject({
    organization: z.string(),
    stream: z.string().optional().describe('Absent: whichever is the default one.'),
    records: count.describe('Records that it has now.'),
    changes: count.describe('Changes of records, of all times.'),
    uploads: z
      .strictObject({ waiting: count, processing: count, processed: count, failed: count, removed: count })
      .describe('By their status.'),
    lastUpload: z.string().meta({ format: 'date-time' }).optional().describe('When the newest one was received.'),
    dumps: count.describe('Full dumps and deltas that are listed.'),
  })
  .meta({ id: 'StreamStatistics', description: 'What a stream has and had, in numbers.' });

export type StreamStatisticsView = z.output<typeof streamStatisticsSchema>;

export function streamStatisticsView(
  { organization, stream }: StreamName,
  { records, changes, uploads, lastUpload, dumps }: StreamStatistics,
): StreamStatisticsView {
  return {
    organization,
    ...(stream !== undefined && { stream }),
    records,
    changes,
    uploads: { ...uploads },
    ...(lastUpload !== undefined && { lastUpload: new Date(lastUpload).toISOString() }),
    dumps,
  };
}
