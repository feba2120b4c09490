const PACK_AS = 'pack it with gzip, tar or ZIP';
const SEND_MARC = 'send MARC21, MARCXML, or a list of ids to delete';

/** How other file formats begin, and advice for each. */
const FORMS: readonly (readonly [beginning: string, what: string])[] = [
  ['%PDF-', `it is a PDF: ${SEND_MARC}`],
  ['BZh', `it is packed with bzip2: ${PACK_AS}`],
  ['\xfd7zXZ\0', `it is packed with xz: ${PACK_AS}`],
  ['\x28\xb5\x2f\xfd', `it is packed with Zstandard: ${PACK_AS}`],
  ['7z\xbc\xaf\x27\x1c', `it is packed with 7-Zip: ${PACK_AS}`],
  ['Rar!\x1a\x07', `it is packed with RAR: ${PACK_AS}`],
  ['\x1f\x9d', `it is packed with compress: ${PACK_AS}`],
  ['PK\x07\x08', 'it is a part of a ZIP that was split: pack it as one'],
  ['Obj\x01', `it is an Avro file: ${SEND_MARC}`],
  ['\xd0\xcf\x11\xe0', `it is a document of an office program: ${SEND_MARC}`],
  ['\x89PNG', `it is an image: ${SEND_MARC}`],
  ['\xff\xd8\xff', `it is an image: ${SEND_MARC}`],
  ['GIF8', `it is an image: ${SEND_MARC}`],
  ['=LDR  ', 'it is MARC as text, as MarcEdit writes it: save it as MARC21 or MARCXML'],
  ['{', `it is JSON: ${SEND_MARC}`],
  ['[', `it is JSON: ${SEND_MARC}`],
];

/** The format of a file and advice: a sentence without a full stop. Undefined for a file that may be MARC or text. */
export function foreignForm(head: Buffer): string | undefined {
  const beginning = head.toString('latin1', 0, 16).replace(/^(?:\xef\xbb\xbf)?[ \t\r\n]*/, '');
  return FORMS.find(([magic]) => beginning.startsWith(magic))?.[1];
}

// AppleSingle/AppleDouble, version 2; and a .DS_Store, whose first words are 1 and `Bud1`.
const OF_MACOS = ['\0\x05\x16\x07', '\0\0\0\x01Bud1'];

/** Whether a file is one that macOS adds to packages: `._NAME` for each file, and `.DS_Store`. */
export function isOfMacos(head: Buffer): boolean {
  const beginning = head.toString('latin1', 0, 8);
  return OF_MACOS.some((magic) => beginning.startsWith(magic));
}
