import { readFile } from 'node:fs/promises';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { reasonOf } from '../../../lib/system-error.ts';
import { type MetadataFormat, NSDL_DC, OAI_DC } from '../../metadata-format.ts';
import { notUsable } from '../not-usable.ts';

const XSLT = 'http://www.w3.org/1999/XSL/Transform';
const SCHEMA_LOCATION = 'xsi:schemaLocation';
/** Thrown to end the parsing. */
const FOUND = new Error('found');

/**
 * The format that a sheet makes: that of the first element that one of its templates writes. nsdl_dc when no template
 * has an element with a namespace.
 * @throws TidemarkError `invalid` for a file that cannot be read, or is not a sheet
 */
export async function formatOfSheet(file: string): Promise<MetadataFormat> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw notUsable(file, `cannot be read: ${reasonOf(error)}`);
  });
  const first = firstWritten(text, file);
  if (first === undefined) return NSDL_DC;
  const known = [NSDL_DC, OAI_DC].find(({ namespace }) => namespace === first.uri);
  return known ?? { prefix: first.prefix || first.local, namespace: first.uri, schema: schemaOf(first) };
}

function firstWritten(text: string, file: string): SaxesTagNS | undefined {
  const sax = new SaxesParser({ xmlns: true });
  const open: SaxesTagNS[] = [];
  let first: SaxesTagNS | undefined;
  sax.on('opentag', (tag) => {
    if (open.length === 0 && tag.uri !== XSLT) throw notUsable(file, `is not a sheet: its root is <${tag.name}>`);
    first =
      tag.uri !== XSLT && tag.uri !== '' && open[1]?.uri === XSLT && open[1].local === 'template' ? tag : undefined;
    if (first !== undefined) throw FOUND;
    open.push(tag);
  });
  sax.on('closetag', () => open.pop());
  // Of entities that the sheet declares, nothing needs to be known.
  sax.on('error', ({ message }) => {
    if (!message.includes('entity')) throw notUsable(file, `is not XML: ${message}`);
  });
  try {
    sax.write(text.replace(/^\ufeff/, '')).close();
  } catch (error) {
    if (error !== FOUND) throw error;
  }
  return first;
}

/** The location that the element names for its namespace; an empty text when it names none. */
function schemaOf({ uri, attributes }: SaxesTagNS): string {
  const words = attributes[SCHEMA_LOCATION]?.value.trim().split(/\s+/) ?? [];
  const at = words.findIndex((word, index) => index % 2 === 0 && word === uri);
  return words[at + 1] ?? '';
}
