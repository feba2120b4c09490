import * as z from 'zod';

/** A field of a metadata block: its value is a text, an object of fields, or a list of either. */
const field = z.object({ typeName: z.string(), value: z.unknown().optional() });
const blocks = z.object({ citation: z.object({ fields: z.array(field) }) });
const compound = z.record(z.string(), z.object({ value: z.unknown().optional() }).optional().catch(undefined));

export interface Citation {
  readonly title?: string | undefined;
  readonly creator: readonly string[];
  readonly description?: string | undefined;
}

/** Title, authors and description of a dataset. Nothing depends on them: what has another form is left out. */
export function citationOf(metadataBlocks: unknown): Citation {
  const parsed = blocks.safeParse(metadataBlocks);
  const fields = parsed.success ? parsed.data.citation.fields : [];
  const fieldValue = (name: string) => fields.find(({ typeName }) => typeName === name)?.value;
  return {
    title: [fieldValue('title')].find(isText),
    creator: texts(fieldValue('author'), 'authorName'),
    description: texts(fieldValue('dsDescription'), 'dsDescriptionValue')[0],
  };
}

function texts(values: unknown, name: string): readonly string[] {
  const list = z.array(compound).safeParse(values);
  return list.success ? list.data.map((one) => one[name]?.value).filter(isText) : [];
}

const isText = (value: unknown): value is string => typeof value === 'string';
