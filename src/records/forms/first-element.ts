import { SaxesParser } from 'saxes';
import type { FileBeginning } from './record-form.ts';
import { xmlEncoding } from './xml-in-utf8.ts';

/** Bytes of XML that are read when its first element comes late. */
const XML_HEAD_BYTES = 1024 * 1024;
/** Number of characters that are parsed at a time: the first element is usually in the first kilobyte. */
const STEP_CHARACTERS = 4096;

export interface FirstElement {
  readonly uri: string;
  readonly local: string;
}

/**
 * The first element of XML; or why there is none: a sentence without a full stop. Undefined for what does not begin as
 * XML.
 */
export async function firstElement({
  head,
  peek,
}: Pick<FileBeginning, 'head' | 'peek'>): Promise<FirstElement | { readonly problem: string } | undefined> {
  if (!/^[\s\0]*</.test(textOf(head.subarray(0, 1024)))) return undefined;
  const found = firstIn(head) ?? firstIn(await peek(XML_HEAD_BYTES));
  return found ?? { problem: `it is XML without an element in its first ${XML_HEAD_BYTES} bytes` };
}

function firstIn(head: Buffer): FirstElement | { readonly problem: string } | undefined {
  const encoding = xmlEncoding(head);
  if (!isKnown(encoding)) {
    return { problem: `it is XML in the encoding ${encoding}, which is not known here: save it as UTF-8` };
  }
  let result: FirstElement | { readonly problem: string } | undefined;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ uri, local }) => {
    result ??= { uri, local };
  });
  parser.on('error', ({ message }) => {
    result ??= { problem: `it begins as XML, but is not well-formed: ${message.replace(/\.$/, '')}` };
  });
  const text = textOf(head);
  for (let at = 0; at < text.length && result === undefined; at += STEP_CHARACTERS) {
    parser.write(text.slice(at, at + STEP_CHARACTERS));
  }
  return result;
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
