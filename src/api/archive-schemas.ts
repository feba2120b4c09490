import * as z from 'zod';
import { count, datetime, uri } from './common-schemas.ts';

/** The shapes of archives in the JSON API. */

const at = datetime.describe('Every change up to this time is in it.');
const completed = datetime.describe('When it was complete.');

export const archiveSchema = z
  .strictObject({
    set: z.string(),
    lists: z
      .array(z.strictObject({ uri, at, completed, resources: count, pages: count }))
      .describe('Resource Lists, the newest first.'),
    dumps: z.array(z.strictObject({ uri, at, completed })).describe('Resource Dumps, the newest first.'),
  })
  .meta({ id: 'Archive', description: 'What a set was at earlier times.' });

export type ArchiveView = z.infer<typeof archiveSchema>;
