import { TidemarkError } from '../../core/errors.ts';

/** The possible media types of an OriginalRecord's document. */
export const MIMETYPES = ['application/json', 'application/xml', 'text/turtle'] as const;
export type Mimetype = (typeof MIMETYPES)[number];

export function isMimetype(text: string): text is Mimetype {
  return MIMETYPES.some((mimetype) => mimetype === text);
}

/** Avro allows no slash in a symbol. */
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  MIMETYPES.map((mimetype) => [mimetype, mimetype.replace('/', '_')]),
);
const MIMETYPE_OF: ReadonlyMap<string, Mimetype> = new Map(
  MIMETYPES.map((mimetype) => [SYMBOLS.get(mimetype)!, mimetype]),
);

/**
 * The enum symbol of a MIME type.
 * @throws TidemarkError `invalid` for a MIME type without a symbol
 */
export function symbolOf(mimetype: string): string {
  const symbol = SYMBOLS.get(mimetype);
  if (symbol !== undefined) return symbol;
  throw new TidemarkError('invalid', `the mimetype ${JSON.stringify(mimetype)} is none of ${MIMETYPES.join(', ')}`, {
    mimetype,
  });
}

/**
 * The MIME type of an enum symbol.
 * @throws TidemarkError `invalid` for an unknown symbol
 */
export function mimetypeOf(symbol: string): Mimetype {
  const mimetype = MIMETYPE_OF.get(symbol);
  if (mimetype !== undefined) return mimetype;
  throw new TidemarkError('invalid', `the symbol ${JSON.stringify(symbol)} is not a mimetype`, { symbol });
}
