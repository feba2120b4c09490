// RFC 6838, 4.2: a type and a subtype have at most 127 characters and begin with a letter or digit.
const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
// RFC 9110, 5.6.6. Quoted values must not contain angle brackets and backslashes: entry-weight.ts relies on that.
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const QUOTED = '"[\\x20\\x21\\x23-\\x3b\\x3d\\x3f-\\x5b\\x5d-\\x7e]*"';
const MEDIA_TYPE = new RegExp(`^${NAME}/${NAME}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

/** The most characters of a media type with its parameters. */
export const MAX_MEDIA_TYPE_LENGTH = 512;

/** Whether a text is a media type, such as `text/html; charset=utf-8`. */
export function isMediaType(text: string): boolean {
  return text.length <= MAX_MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(text);
}
