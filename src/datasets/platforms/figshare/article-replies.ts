import * as z from 'zod';
import { optionalText, statedCount } from '../parse-reply.ts';

const file = z.object({
  id: z.int(),
  name: z.string(),
  size: statedCount,
  is_link_only: z.boolean().nullish(),
  supplied_md5: optionalText,
  computed_md5: optionalText,
  mimetype: optionalText,
});

/** A page of `/v2/articles/ID/versions/N/files`. */
export const filesReply = z.array(file);

/** The reply about an article or a version of it (figshare v2). */
export const articleReply = z.object({
  id: z.int(),
  version: z.int(),
  title: optionalText,
  doi: optionalText,
  published_date: optionalText,
  description: optionalText,
  is_public: z.boolean().nullish(),
  is_embargoed: z.boolean().nullish(),
  embargo_date: optionalText,
  is_confidential: z.boolean().nullish(),
  confidential_reason: optionalText,
  is_metadata_record: z.boolean().nullish(),
  download_disabled: z.boolean().nullish(),
  license: z.object({ name: optionalText, url: optionalText }).nullish(),
  authors: z.array(z.object({ full_name: optionalText })).nullish(),
  files: z.array(file).nullish(),
  /** The folder of a file by its id. */
  folder_structure: z.record(z.string(), z.string()).nullish(),
});

export type ArticleFile = z.output<typeof file>;
export type ArticleReply = z.output<typeof articleReply>;
