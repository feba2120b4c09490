import * as z from 'zod';
import { optionalText, statedCount } from '../parse-reply.ts';

const WHOLE = 'use a whole number, not negative';

/** A number, which the metadata API mostly states as a text. */
const count = z.union([statedCount, z.string().regex(/^\d{1,15}$/, WHOLE)], WHOLE).transform(Number);

/** A text, or several. */
const texts = z
  .union([z.string(), z.array(z.string())], 'use a text or several')
  .transform((value) => (typeof value === 'string' ? [value] : value))
  .nullish();

const file = z.object({
  name: z.string(),
  source: optionalText,
  size: count.nullish(),
  md5: optionalText,
  sha1: optionalText,
  private: z.union([z.string(), z.boolean()], 'use true or false').nullish(),
});

/** The reply at `/metadata/ITEM`. One without an item is an empty object. */
export const itemReply = z.object({
  is_dark: z.boolean().nullish(),
  error: optionalText,
  files_count: count.nullish(),
  files: z.array(file).nullish(),
  metadata: z
    .object({
      identifier: z.string(),
      mediatype: texts,
      title: texts,
      creator: texts,
      date: texts,
      description: texts,
      licenseurl: texts,
      rights: texts,
      'access-restricted-item': texts,
    })
    .nullish(),
});

export type ItemFile = z.output<typeof file>;
export type ItemReply = z.output<typeof itemReply>;
