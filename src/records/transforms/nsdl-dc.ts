import { escapeXml } from '../../lib/escape-xml.ts';
import { NSDL_DC, OAI_DC } from '../metadata-format.ts';
import { ELEMENTS, POSITIONS } from './dublin-core/elements.ts';
import { readDublinCore } from './dublin-core/read-dublin-core.ts';
import { type DublinCoreValue, isUseless } from './dublin-core/values.ts';
import { type Transform, TransformError } from './transform.ts';

const START = `<nsdl_dc:nsdl_dc xmlns:nsdl_dc="${NSDL_DC.namespace}" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dct="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" schemaVersion="1.02.020" xsi:schemaLocation="${NSDL_DC.namespace} ${NSDL_DC.schema}">`;
const END = '</nsdl_dc:nsdl_dc>';
const TITLE = POSITIONS.get('dc:title')!;

/** Makes nsdl_dc of oai_dc, and takes nsdl_dc that has a title over as it is (E21). */
export const nsdlDc: Transform = {
  name: NSDL_DC.prefix,
  transform: ({ id, document }) => ({ id, document: toNsdlDc(document) }),
};

/**
 * Makes nsdl_dc 1.02 of oai_dc (E21): the elements in the order of `ELEMENTS`, an `xsi:type` where the value fits an
 * encoding scheme, white space normalized, useless values left out.
 * @throws TransformError `not-xml`; `format` for another root; `missing-field` without a title
 */
export function toNsdlDc(xml: string): string {
  const { namespace, root, values } = readDublinCore(xml);
  if (namespace === OAI_DC.namespace) return writeNsdlDc(values);
  if (namespace !== NSDL_DC.namespace) throw wrongFormat(root, namespace, 'oai_dc or nsdl_dc');
  if (!values.some(({ name, text }) => name === 'dc:title' && !isUseless(text))) throw missingTitle();
  return xml;
}

/**
 * Writes nsdl_dc. Values of elements that it does not have are left out.
 * @throws TransformError `missing-field` without a title
 */
export function writeNsdlDc(values: readonly DublinCoreValue[]): string {
  const written = new Array<string>(ELEMENTS.length).fill('');
  for (const value of values) {
    const position = POSITIONS.get(value.name);
    if (position !== undefined && !isUseless(value.text)) written[position] += writeElement(value, position);
  }
  if (written[TITLE] === '') throw missingTitle();
  return START + written.join('') + END;
}

function writeElement({ name, text, language }: DublinCoreValue, position: number): string {
  const scheme = ELEMENTS[position]!.scheme?.(text);
  const type = scheme === undefined ? '' : ` xsi:type="${scheme}"`;
  const lang = language === undefined ? '' : ` xml:lang="${escapeXml(language)}"`;
  return `<${name}${type}${lang}>${escapeXml(text)}</${name}>`;
}

function missingTitle(): TransformError {
  return new TransformError('missing-field', 'it has no dc:title, or none that says anything');
}

/** The error for a document in another format. */
export function wrongFormat(root: string, namespace: string, expected: string): TransformError {
  const found = namespace === '' ? 'without a namespace' : `of the namespace ${namespace}`;
  return new TransformError('format', `expected ${expected}, and the root is <${root}> ${found}`);
}
