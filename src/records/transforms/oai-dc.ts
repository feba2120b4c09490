import { escapeXml } from '../../lib/escape-xml.ts';
import { OAI_DC_END, OAI_DC_START } from '../dublin-core.ts';
import { NSDL_DC, OAI_DC } from '../metadata-format.ts';
import { ELEMENTS } from './dublin-core/elements.ts';
import { readDublinCore } from './dublin-core/read-dublin-core.ts';
import type { DublinCoreValue } from './dublin-core/values.ts';
import { wrongFormat } from './nsdl-dc.ts';
import type { Transform } from './transform.ts';

const SIMPLE_NAMES: ReadonlyMap<string, string> = new Map(
  ELEMENTS.flatMap(({ name, simple }) => (simple === undefined ? [] : [[name, `dc:${simple}`]])),
);

/** Makes oai_dc of nsdl_dc, and takes oai_dc over as it is. */
export const oaiDc: Transform = {
  name: OAI_DC.prefix,
  transform: ({ id, document }) => ({ id, document: toOaiDc(document) }),
};

/**
 * Makes oai_dc of nsdl_dc, or takes it over: refinements become the elements that they refine, and what oai_dc does not
 * have is left out.
 * @throws TransformError `not-xml`; `format` for another root
 */
export function toOaiDc(xml: string): string {
  const { namespace, root, values } = readDublinCore(xml);
  if (namespace === OAI_DC.namespace) return xml;
  if (namespace !== NSDL_DC.namespace) throw wrongFormat(root, namespace, 'nsdl_dc or oai_dc');
  return writeOaiDc(values);
}

function writeOaiDc(values: readonly DublinCoreValue[]): string {
  return OAI_DC_START + values.map(writeElement).join('') + OAI_DC_END;
}

function writeElement({ name, text, language }: DublinCoreValue): string {
  const simple = SIMPLE_NAMES.get(name);
  if (simple === undefined) return '';
  const lang = language === undefined ? '' : ` xml:lang="${escapeXml(language)}"`;
  return `<${simple}${lang}>${escapeXml(text)}</${simple}>`;
}
