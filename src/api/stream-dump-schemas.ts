import * as z from 'zod';
import { DUMP_FILE_KINDS, DUMP_KINDS } from '../records/dumps/stored-stream-dump.ts';
import { count, datetime } from './common-schemas.ts';

/** The shapes of dumps of records in the JSON API. */

const streamDumpFileSchema = z
  .strictObject({
    kind: z.enum(DUMP_FILE_KINDS),
    name: z.string().describe('As the POD aggregator names it. Dumps of one day have files of one name.'),
    uri: z
      .string()
      .meta({ format: 'uri' })
      .optional()
      .describe('Where it is published. Absent until it is, mostly within a second.'),
    length: count.describe('Bytes.'),
    sha256: z.string().describe('Hexadecimal.'),
    type: z.string(),
  })
  .meta({ id: 'StreamDumpFile' });

const streamDumpSchema = z
  .strictObject({
    number: z.int().min(1).describe('The order in which dumps are to be taken, from 1.'),
    kind: z.enum(DUMP_KINDS),
    at: datetime.describe('When it was complete: in a later second than that of every lower number.'),
    after: datetime.optional().describe('Of a delta: it has what changed since then.'),
    until: datetime.describe('It has every upload that was applied before.'),
    totals: z.strictObject({
      records: count,
      deletions: count.describe('Ids of records that are no more.'),
      errata: count.describe('Errors and warnings of the uploads since the dump of its kind before.'),
    }),
    files: z.array(streamDumpFileSchema),
  })
  .meta({ id: 'StreamDump', description: 'A full dump, or a delta, of the records of a stream.' });

export const streamDumpsSchema = z
  .strictObject({
    organization: z.string(),
    stream: z.string().optional().describe('Absent: whichever is the default one.'),
    dumps: z.array(streamDumpSchema).describe('Oldest first.'),
    underWay: z
      .array(
        z.strictObject({
          kind: z.enum(DUMP_KINDS),
          job: z.string().describe('The name of the job that makes it.'),
          since: datetime,
          text: z.string().optional().describe('What it does, or what it waits for.'),
        }),
      )
      .describe('Those that are being made, or wait.'),
  })
  .meta({ id: 'StreamDumps' });

export const newStreamDumpSchema = z
  .strictObject({
    kind: z.enum(DUMP_KINDS).describe('A delta that has nothing to go on from becomes a full dump.'),
    stream: z.string().optional().describe('Absent: whichever is the default one.'),
  })
  .meta({ id: 'NewStreamDump', examples: [{ kind: 'full' }] });

export type StreamDumpView = z.output<typeof streamDumpSchema>;
export type StreamDumpsView = z.output<typeof streamDumpsSchema>;
