import * as z from 'zod';
import { formatBytes } from '../lib/format-bytes.ts';
import { formatCount } from '../lib/format-count.ts';
import type { Freed } from '../records/removal/measure-stream.ts';
import { count } from './fields.ts';

/** The shapes of removals in the JSON API. */

const freedFields = {
  uploads: count.describe('Its uploads.'),
  records: count.describe('Its live records.'),
  dumps: count.describe('Its full dumps and deltas that are listed.'),
  bytes: count.describe('Of their files, and of what was read of the uploads.'),
};

export const removedStreamSchema = z
  .strictObject({
    organization: z.string(),
    stream: z.string(),
    ...freedFields,
    job: z.string().describe('The job that removes all of it.'),
  })
  .meta({ id: 'RemovedStream', description: 'A stream that is being removed, and what that frees.' });

export const removedOrganizationSchema = z
  .strictObject({
    organization: z.string(),
    streams: count,
    ...freedFields,
    job: z.string().describe('The job that removes all of it.'),
  })
  .meta({ id: 'RemovedOrganization', description: 'An organization that is being removed, and what that frees.' });

/** What a removal frees, for people: `3 streams, 12 uploads, 4,000 records, 2 dumps, 12.3 MB`. */
export function describeFreed({
  streams,
  uploads,
  records,
  dumps,
  bytes,
}: Freed & { readonly streams?: number }): string {
  const counts = [
    ...(streams === undefined ? [] : [counted(streams, 'stream')]),
    counted(uploads, 'upload'),
    counted(records, 'record'),
    counted(dumps, 'dump'),
  ];
  return `${counts.join(', ')}, ${formatBytes(bytes)}`;
}

function counted(number: number, word: string): string {
  return `${formatCount(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** The consequences, as a sentence without a full stop. */
export function removalOfStream(organization: string, stream: string, freed: Freed): string {
  return `the stream ${stream} of ${organization} has ${describeFreed(freed)}: clients lose all of it for good, and the ids of the stream and of its sets cannot be used again`;
}

/** The same of an organization. */
export function removalOfOrganization(organization: string, freed: Freed & { readonly streams: number }): string {
  return `the organization ${organization} has ${describeFreed(freed)}: clients lose all of it for good, its collections are removed, tokens that are for it alone are revoked, and its id and those of its sets cannot be used again`;
}
