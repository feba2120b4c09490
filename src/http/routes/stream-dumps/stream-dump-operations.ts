import * as z from 'zod';
import { jobSchema } from '../../../api/job-schemas.ts';
import { newStreamDumpSchema, streamDumpsSchema } from '../../../api/stream-dump-schemas.ts';
import { type Answer, json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';
import { text } from '../../request/query-parameters.ts';

/** Requests and responses about dumps of records; stream-dump-routes.ts handles them. */

const NO_STREAM: Answer = { status: 404, description: 'There is no such organization, or stream of it.' };

export const LIST_STREAM_DUMPS = {
  id: 'listStreamDumps',
  tag: 'organizations',
  summary: 'The full dumps and deltas of the records of a stream, oldest first',
  description:
    'A client that has taken a full dump takes every delta of a higher number, in order: then it has what the stream has. Full dumps between them have nothing new for it.',
  query: z.strictObject({ stream: text('The stream; whichever is the default one without it.', 'main') }),
  answers: [json(streamDumpsSchema, 'The dumps.'), NO_STREAM],
} satisfies Operation;

export const MAKE_STREAM_DUMP = {
  id: 'makeStreamDump',
  tag: 'organizations',
  summary: 'Adds a job that makes a full dump or a delta',
  description: 'It waits until no upload of the stream is being applied. A delta with nothing in it is not made.',
  query: NO_PARAMETERS,
  body: { 'application/json': newStreamDumpSchema },
  answers: [{ ...json(jobSchema, 'The job, or the one that waits already.', 202), headers: ['Location'] }, NO_STREAM],
} satisfies Operation;
