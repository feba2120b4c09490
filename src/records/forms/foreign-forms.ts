import { hexOf } from './hex-of.ts';
import type { FileIdentity } from './record-form.ts';
import { FORMS } from './record-forms.ts';

const OF_RECORDS = FORMS.filter(({ records }) => records !== undefined);
const KINDS = OF_RECORDS.flatMap(({ fileKinds }) => fileKinds.map(({ title }) => title)).join(', ');
/** What may be sent, for users. */
export const ACCEPTED = `${KINDS}, and lists of ids to delete`;

const PACK_AS = 'pack it with gzip, tar or ZIP';
/** Advice for a file that no form can read. */
export const SEND = `send ${KINDS}, or a list of ids to delete`;

/** How other file formats begin, and advice for each. */
const FOREIGN: readonly (readonly [beginning: string, what: string])[] = [
  ['%PDF-', `it is a PDF: ${SEND}`],
  ['BZh', `it is packed with bzip2: ${PACK_AS}`],
  ['\xfd7zXZ\0', `it is packed with xz: ${PACK_AS}`],
  ['\x28\xb5\x2f\xfd', `it is packed with Zstandard: ${PACK_AS}`],
  ['7z\xbc\xaf\x27\x1c', `it is packed with 7-Zip: ${PACK_AS}`],
  ['Rar!\x1a\x07', `it is packed with RAR: ${PACK_AS}`],
  ['\x1f\x9d', `it is packed with compress: ${PACK_AS}`],
  ['PK\x07\x08', 'it is a part of a ZIP that was split: pack it as one'],
  ['Obj\x01', `it is an Avro file: ${SEND}`],
  ['\xd0\xcf\x11\xe0', `it is a document of an office program: ${SEND}`],
  ['\x89PNG', `it is an image: ${SEND}`],
  ['\xff\xd8\xff', `it is an image: ${SEND}`],
  ['GIF8', `it is an image: ${SEND}`],
  ['{', `it is JSON: ${SEND}`],
  ['[', `it is JSON: ${SEND}`],
];

/** What a file is that no form recognizes by its beginning; undefined for one that may be text in UTF-8. */
export function foreignForm(head: Buffer): FileIdentity | undefined {
  const beginning = head.toString('latin1', 0, 16).replace(/^(?:\xef\xbb\xbf)?[ \t\r\n]*/, '');
  const problem = FOREIGN.find(([magic]) => beginning.startsWith(magic))?.[1] ?? notUtf8(head);
  return problem === undefined ? undefined : { problem };
}

function notUtf8(head: Buffer): string | undefined {
  const [first = 0, second = 0] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return 'it is text in UTF-16: save it as UTF-8';
  }
  const titles = OF_RECORDS.map(({ title }) => title).join(' nor ');
  return head.includes(0) ? `it is neither ${titles} nor text: it begins with ${hexOf(head)}` : undefined;
}
