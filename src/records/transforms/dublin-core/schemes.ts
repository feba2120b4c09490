/** The terms of the DCMI Type Vocabulary. */
const DCMI_TYPES: ReadonlySet<string> = new Set([
  'Collection',
  'Dataset',
  'Event',
  'Image',
  'InteractiveResource',
  'MovingImage',
  'PhysicalObject',
  'Service',
  'Software',
  'Sound',
  'StillImage',
  'Text',
]);

/** Characters that a URI cannot have are those of RFC 3986; those outside of ASCII are left to IRIs. */
const URI = /^(?:https?|ftp):\/\/[^\s<>"{}|\\^`/?#][^\s<>"{}|\\^`]*$/i;
/** The ISO code of a language, or `i` or `x`, with subtags (RFC 3066, 2.1 and 2.2). */
const LANGUAGE = /^(?:[a-z]{2,3}|[ix](?=-))(?:-[a-z0-9]{1,8})*$/i;
const MEDIA_TYPE =
  /^(?:application|audio|chemical|font|image|message|model|multipart|text|video|x-[\w-]+)\/[\w!#$&^.+-]+(?: ?;.*)?$/i;
/** As precise as it is known: a year, a month, a day, or a time with its zone (W3C note on date and time formats). */
const DATE = /^\d{4}(?:-(\d\d)(?:-(\d\d)(?:T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;

export const schemeOfUri = (value: string): string | undefined => (URI.test(value) ? 'dct:URI' : undefined);

export const schemeOfType = (value: string): string | undefined => (DCMI_TYPES.has(value) ? 'dct:DCMIType' : undefined);

export const schemeOfLanguage = (value: string): string | undefined =>
  LANGUAGE.test(value) ? 'dct:RFC3066' : undefined;

export const schemeOfFormat = (value: string): string | undefined => (MEDIA_TYPE.test(value) ? 'dct:IMT' : undefined);

export function schemeOfDate(value: string): string | undefined {
  const [, month = '01', day = '01'] = DATE.exec(value) ?? [];
  if (!DATE.test(value) || month === '00' || month > '12') return undefined;
  const last = new Date(Date.UTC(2000, 0, 1));
  last.setUTCFullYear(Number(value.slice(0, 4)), Number(month), 0);
  return day !== '00' && Number(day) <= last.getUTCDate() ? 'dct:W3CDTF' : undefined;
}
