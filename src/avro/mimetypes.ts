import { TidemarkError } from '../domain/errors.ts';

/** What an OriginalRecord's document may be. */
export const MIMETYPES = ['application/json', 'application/xml', 'text/turtle'] as const;
export type Mimetype = (typeof MIMETYPES)[number];

export function isMimetype(text: string): text is Mimetype {
  return MIMETYPES.some((mimetype) => mimetype === text);
}

/**
 * The symbol that stands for a MIME type in a file: Avro permits no slash in it.
 * @throws TidemarkError `invalid` for a MIME type that has no symbol
 */
export function symbolOf(mimetype: string): string {
  if (isMimetype(mimetype)) return mimetype.replace('/', '_');
  throw new TidemarkError('invalid', `the mimetype ${JSON.stringify(mimetype)} is none of ${MIMETYPES.join(', ')}`, {
    mimetype,
  });
}

/** The MIME type that a symbol stands for. @throws TidemarkError `invalid` for a symbol that is none of the three */
export function mimetypeOf(symbol: string): Mimetype {
  const found = MIMETYPES.find((mimetype) => symbolOf(mimetype) === symbol);
  if (found !== undefined) return found;
  throw new TidemarkError('invalid', `the symbol ${JSON.stringify(symbol)} stands for no mimetype`, { symbol });
}
