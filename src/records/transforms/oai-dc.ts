import { NSDL_DC, OAI_DC } from '../metadata-format.ts';
import { ELEMENTS } from './dublin-core/elements.ts';
import { readDublinCore } from './dublin-core/read-dublin-core.ts';
import { type DublinCoreValue, escapeXml } from './dublin-core/values.ts';
import { wrongFormat } from './nsdl-dc.ts';
import type { Transform } from './transform.ts';

const START = `<oai_dc:dc xmlns:oai_dc="${OAI_DC.namespace}" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${OAI_DC.namespace} ${OAI_DC.schema}">`;
const END = '</oai_dc:dc>';

const SIMPLE_NAMES: ReadonlyMap<string, string> = new Map(
  ELEMENTS.flatMap(({ name, simple }) => (simple === undefined ? [] : [[name, `dc:${simple}`]])),
);

/** Makes oai_dc of nsdl_dc, and takes oai_dc over as it is. */
export const oaiDc: Transform = {
  name: OAI_DC.prefix,
  transform: ({ id, document }) => ({ id, document: toOaiDc(document) }),
};

/**
 * Makes oai_dc of nsdl_dc: refinements become the elements that they refine, and what oai_dc does not have is left out.
 * @throws TransformError `not-xml`; `format` for another root
 */
export function nsdlDcToOaiDc(xml: string): string {
  const { namespace, root, values } = readDublinCore(xml);
  if (namespace !== NSDL_DC.namespace) throw wrongFormat(root, namespace, NSDL_DC.prefix);
  return writeOaiDc(values);
}

function toOaiDc(xml: string): string {
  const { namespace, root, values } = readDublinCore(xml);
  if (namespace === OAI_DC.namespace) return xml;
  if (namespace !== NSDL_DC.namespace) throw wrongFormat(root, namespace, 'nsdl_dc or oai_dc');
  return writeOaiDc(values);
}

function writeOaiDc(values: readonly DublinCoreValue[]): string {
  return START + values.map(writeElement).join('') + END;
}

function writeElement({ name, text, language }: DublinCoreValue): string {
  const simple = SIMPLE_NAMES.get(name);
  if (simple === undefined) return '';
  const lang = language === undefined ? '' : ` xml:lang="${escapeXml(language)}"`;
  return `<${simple}${lang}>${escapeXml(text)}</${simple}>`;
}
