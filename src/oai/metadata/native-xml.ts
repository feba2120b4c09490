import { OAI_NAMESPACE } from '../../records/forms/oai/oai-record.ts';
import { type MetadataFormat, NSDL_DC, OAI_DC } from '../../records/metadata-format.ts';
import { readDublinCore } from '../../records/transforms/dublin-core/read-dublin-core.ts';
import { TransformError } from '../../records/transforms/transform.ts';
import { readXmlRoot } from './xml-root.ts';

/** An XML document as metadata. */
interface NativeXml {
  readonly format: MetadataFormat;
  /** Its root element, perhaps with comments after it. */
  readonly xml: string;
}

/** The usual prefixes of formats, by their namespaces. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  [OAI_DC.namespace, OAI_DC.prefix],
  [NSDL_DC.namespace, NSDL_DC.prefix],
  ['http://www.loc.gov/MARC21/slim', 'marc21'],
  ['http://www.loc.gov/mods/v3', 'mods'],
  ['http://www.loc.gov/METS/', 'mets'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['urn:isbn:1-931666-22-9', 'ead'],
  ['http://www.lido-schema.org', 'lido'],
]);
const OTHERS = 'xml';

const BEFORE_ROOT = /^\ufeff?(?:\s|<\?.*?\?>|<!--.*?-->)*/s;

/**
 * The metadata of a document. Undefined for what an answer of OAI-PMH cannot contain: a document that is not
 * well-formed, has a DOCTYPE, or whose root has no namespace of its own (OAI-PMH.xsd: `##other`).
 */
export function nativeXml(document: string): NativeXml | undefined {
  const xml = document.replace(BEFORE_ROOT, '').trimEnd();
  const { namespace = '', schema = '' } = readXmlRoot(xml) ?? {};
  if (namespace === '' || namespace === OAI_NAMESPACE || !isWellFormed(xml)) return undefined;
  return { format: { prefix: PREFIXES.get(namespace) ?? OTHERS, namespace, schema }, xml };
}

function isWellFormed(xml: string): boolean {
  try {
    readDublinCore(xml);
    return true;
  } catch (error) {
    if (error instanceof TransformError) return false;
    throw error;
  }
}
