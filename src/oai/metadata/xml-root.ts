import { unescapeXml } from '../../lib/escape-xml.ts';

/** What the start tag of a root element says of its format. */
interface XmlRoot {
  /** Empty for none. */
  readonly namespace: string;
  /** The location of the schema of its namespace; the namespace itself, where it names none. */
  readonly schema: string;
}

const START_TAG = /^<(?:([^\s:/>="']+):)?[^\s:/>="']+((?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Reads the start tag of an element that is well-formed. Undefined when the text does not begin with one. */
export function readXmlRoot(xml: string): XmlRoot | undefined {
  const found = START_TAG.exec(xml);
  if (found === null) return undefined;
  const [, prefix, attributes = ''] = found;
  const declaration = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`;
  let namespace = '';
  let locations = '';
  for (const [, name = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = unescapeXml(double ?? single ?? '');
    if (name === declaration) namespace = value.trim();
    else if (name.endsWith(':schemaLocation')) locations = value;
  }
  const pairs = locations.trim().split(/\s+/);
  const at = pairs.findIndex((text, at) => at % 2 === 0 && text === namespace);
  return { namespace, schema: (at < 0 ? undefined : pairs[at + 1]) ?? namespace };
}
