import { SaxesParser } from 'saxes';
import { xmlEncoding } from './xml-in-utf8.ts';

const MARCXML = 'http://www.loc.gov/MARC21/slim';
const ROOTS = ['collection', 'record'];
/** Number of characters that are parsed at a time: the first element is usually in the first kilobyte. */
const STEP_CHARACTERS = 4096;

export function beginsAsXml(head: Buffer): boolean {
  return /^[\s\0]*</.test(textOf(head.subarray(0, 1024)));
}

/**
 * Why XML is not MARCXML, by its first element: a sentence without a full stop. Empty when it is; undefined when its
 * first element comes later.
 */
export function identifyXml(head: Buffer): string | undefined {
  const encoding = xmlEncoding(head);
  if (!isKnown(encoding)) return `it is XML in the encoding ${encoding}, which is not known here: save it as UTF-8`;
  let result: string | undefined;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ uri, local }) => {
    result ??= problemOf(uri, local);
  });
  parser.on('error', ({ message }) => {
    result ??= `it begins as XML, but is not well-formed: ${message.replace(/\.$/, '')}`;
  });
  const text = textOf(head);
  for (let at = 0; at < text.length && result === undefined; at += STEP_CHARACTERS) {
    parser.write(text.slice(at, at + STEP_CHARACTERS));
  }
  return result;
}

function problemOf(uri: string, local: string): string {
  if (ROOTS.includes(local)) {
    if (uri === MARCXML) return '';
    const instead = uri === '' ? 'without a namespace' : `of the namespace ${uri}`;
    return `its first element is <${local}> ${instead}: MARCXML has xmlns="${MARCXML}"`;
  }
  return `its first element is <${local}>: MARCXML has <collection> or <record>, with xmlns="${MARCXML}"`;
}

function textOf(head: Buffer): string {
  const encoding = xmlEncoding(head);
  return new TextDecoder(isKnown(encoding) ? encoding : 'latin1').decode(head);
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== '';
  } catch {
    return false;
  }
}
