import { isControlField, type MarcField, type MarcRecord } from './marc-record.ts';

export const MARCXML_NAMESPACE = 'http://www.loc.gov/MARC21/slim';

/** What is before and after the records of a file. */
export const MARCXML_START = `<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="${MARCXML_NAMESPACE}">\n`;
export const MARCXML_END = '</collection>\n';

/** A record as the element `record`, which declares its namespace, so that it can be a document or a part of one. */
export function writeMarcXml(record: MarcRecord): string {
  let xml = `<record xmlns="${MARCXML_NAMESPACE}">\n  <leader>${escapeText(record.leader)}</leader>\n`;
  for (const field of record.fields()) xml += writeField(field);
  return `${xml}</record>\n`;
}

function writeField(field: MarcField): string {
  if (isControlField(field)) {
    return `  <controlfield tag="${field.tag}">${escapeText(field.value)}</controlfield>\n`;
  }
  const { tag, indicators, subfields } = field;
  const [first, second] = [escapeAttribute(indicators[0]!), escapeAttribute(indicators[1]!)];
  let xml = `  <datafield tag="${tag}" ind1="${first}" ind2="${second}">\n`;
  for (const { code, value } of subfields) {
    xml += `    <subfield code="${escapeAttribute(code)}">${escapeText(value)}</subfield>\n`;
  }
  return `${xml}  </datafield>\n`;
}

const SPECIAL = /[&<>\r]/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser would make a line feed of it.
  '\r': '&#13;',
};

function escapeText(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[&<>\r]/g, (character) => ENTITIES[character]!) : text;
}

const escapeAttribute = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
