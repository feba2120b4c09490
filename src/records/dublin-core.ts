import { escapeXml } from '../lib/escape-xml.ts';
import { OAI_DC } from './metadata-format.ts';

/** The elements of Dublin Core 1.1. */
export const DC_ELEMENTS = [
  'title',
  'creator',
  'subject',
  'description',
  'publisher',
  'contributor',
  'date',
  'type',
  'format',
  'identifier',
  'source',
  'language',
  'relation',
  'coverage',
  'rights',
] as const;
export type DcElement = (typeof DC_ELEMENTS)[number];

/** Values in their order. */
export type DcValues = readonly (readonly [element: DcElement, value: string])[];

const DC_NAMESPACE = 'http://purl.org/dc/elements/1.1/';

export const OAI_DC_START = `<oai_dc:dc xmlns:oai_dc="${OAI_DC.namespace}" xmlns:dc="${DC_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${OAI_DC.namespace} ${OAI_DC.schema}">`;
export const OAI_DC_END = '</oai_dc:dc>';

/** Writes Dublin Core as oai_dc. White space is normalized. Empty values are left out, and those that are repeated. */
export function writeOaiDc(values: DcValues): string {
  const written = new Set<string>();
  for (const [element, value] of values) {
    const text = value.replace(/\s+/g, ' ').trim();
    if (text !== '') written.add(`<dc:${element}>${escapeXml(text)}</dc:${element}>`);
  }
  return OAI_DC_START + [...written].join('') + OAI_DC_END;
}
