import { type FaultyRecord, lineOf, type ReadableField } from './readable-record.ts';
import { partsOfUtf8 } from './text-parts.ts';

const NEWLINE = 0x0a;

/** XML as lines of text; also a new one between two tags, since many programs write a record as one line. */
export function xmlLines(document: Buffer): readonly ReadableField[] {
  const text = document.toString('utf8').trim();
  return text
    .replace(/>\s*(?=<[^/])/g, '>\n')
    .split('\n')
    .map((line) => lineOf(line));
}

/**
 * The element with which the bytes begin, as its lines are in the file. Of one that does not end, all bytes.
 * @param bytes in UTF-8, but for what is wrong with them
 */
export function readFaultyXml(bytes: Buffer): FaultyRecord {
  const element = bytes.subarray(0, endOfElement(bytes.toString('latin1')));
  return { length: element.length, fields: faultyLines(element) };
}

/** The first line of the bytes. */
export function readFaultyLine(bytes: Buffer): FaultyRecord {
  const end = bytes.indexOf(NEWLINE);
  const line = end === -1 ? bytes : bytes.subarray(0, end);
  return { length: line.length, fields: faultyLines(line) };
}

/** Where the first element ends; elements of its name may be within it. */
function endOfElement(text: string): number {
  const name = /^\s*<([^\s<>/]+)/.exec(text)?.[1];
  if (name === undefined) return text.length;
  const tags = new RegExp(`<(/?)${RegExp.escape(name)}(?:\\s[^<>]*?)?(/?)>`, 'g');
  let depth = 0;
  for (const tag of text.matchAll(tags)) {
    depth += tag[1] === '/' ? -1 : tag[2] === '/' ? 0 : 1;
    if (depth <= 0) return tag.index + tag[0].length;
  }
  return text.length;
}

function faultyLines(bytes: Buffer): readonly ReadableField[] {
  const lines: ReadableField[] = [];
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline;
    lines.push({ tag: '', subfields: [{ parts: partsOfUtf8(bytes.subarray(at, end)) }] });
    at = end + 1;
  }
  return lines;
}
