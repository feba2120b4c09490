import * as z from 'zod';
import { type Erratum, inColumns } from '../records/errata/erratum.ts';
import { faultWords } from '../records/errata/fault-kinds.ts';
import type { ReasonCount } from '../records/errata/reason-counts.ts';
import { count } from './fields.ts';

/** The shapes of errors and warnings of uploads in the JSON API. */

export const uploadErrorSchema = z
  .strictObject({
    file: z.int().min(1).optional().describe('The position of the file that was sent.'),
    path: z.array(z.string()).optional().describe('Its name; in packages, the names of the packages before.'),
    ordinal: z.int().min(0).optional().describe('The number of the record, or of the line, from 1.'),
    offset: z.int().min(0).optional().describe('Bytes before it, unpacked.'),
    id: z.string().optional(),
    title: z.string().optional().describe('The title of the record, as far as it could be read.'),
    field: z.string().optional().describe('The tag of the field with the fault; `LDR` for the leader.'),
    occurrence: z.int().min(1).optional().describe('Which of the fields with that tag, from 1.'),
    subfield: z.string().optional().describe('The code of the subfield.'),
    position: z
      .int()
      .min(0)
      .optional()
      .describe(
        'The number, from 1, of the character in the subfield, or in a control field, at which the fault begins; in the leader, from 0.',
      ),
    before: z
      .string()
      .optional()
      .describe('The text of the field before the fault; bytes that are no text as `\\xB9`.'),
    fault: z.string().optional().describe('The text that is wrong.'),
    after: z.string().optional().describe('The text behind it.'),
    kind: z.string().optional().describe('A word to count by. Absent of uploads that an older version read.'),
    reason: z.string(),
    warning: z
      .literal(true)
      .optional()
      .describe('Whether the record was taken over: the reason says what was repaired or left out. Absent otherwise.'),
  })
  .meta({ id: 'UploadError', description: 'A record, or a line, that could not be read; or a warning of a record.' });

export const reasonSchema = z
  .strictObject({
    reason: z.string().describe('The field and what is wrong; or a reason with an ellipsis in place of what differs.'),
    count,
    warning: z.literal(true).optional().describe('As that of each.'),
    kind: z.string().optional().describe('The kind of all of them. Absent of uploads that an older version read.'),
    field: z.string().optional().describe('The field of all of them.'),
    cause: z.string().optional().describe('The likely cause.'),
    advice: z.string().optional().describe('What to do.'),
    example: uploadErrorSchema.optional().describe('The first one.'),
  })
  .meta({ id: 'ReasonCount', description: 'How many errors or warnings have the same reason.' });

export type ReasonView = z.output<typeof reasonSchema>;
type UploadErrorView = z.output<typeof uploadErrorSchema>;

/** A group of errata, with its likely cause and what to do. */
export function reasonView({ reason, count: number, warning, kind, field, example }: ReasonCount): ReasonView {
  const words = faultWords(kind);
  return {
    reason,
    count: number,
    ...(warning && { warning }),
    ...(kind !== undefined && { kind }),
    ...(field !== undefined && { field }),
    ...(words !== undefined && { cause: words.cause, advice: words.advice }),
    ...(example !== undefined && { example: errorView(example) }),
  };
}

function errorView(erratum: Erratum): UploadErrorView {
  return inColumns(erratum) as UploadErrorView;
}
