import { formatSeconds, type Seconds } from '../../core/w3c-datetime.ts';
import { escapeXml } from '../../lib/escape-xml.ts';
import type { OaiRecord } from '../../records/forms/oai/oai-record.ts';
import { readXmlRoot } from './xml-root.ts';

/** Guidelines for Harvesters: "XML Schema to hold provenance information in the about part of a record". */
const NAMESPACE = 'http://www.openarchives.org/OAI/2.0/provenance';
const SCHEMA = 'http://www.openarchives.org/OAI/2.0/provenance.xsd';

interface Origin {
  readonly baseUrl: string;
  /** Of the metadata as it was harvested. */
  readonly namespace: string;
  readonly harvested: Seconds;
  /** Whether the metadata is not what was harvested. */
  readonly isAltered: boolean;
}

/** Where a record comes from: the content of an `about`. What the source said of that is nested in it. */
export function provenanceOf({ header, about }: Pick<OaiRecord, 'header' | 'about'>, origin: Origin): string {
  const { baseUrl, namespace, harvested, isAltered } = origin;
  const nested = about.filter(isProvenance).map(originDescriptionIn).at(0) ?? '';
  return (
    `<provenance xmlns="${NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} ${SCHEMA}">` +
    `<originDescription harvestDate="${formatSeconds(harvested)}" altered="${isAltered}">` +
    `<baseURL>${escapeXml(baseUrl)}</baseURL><identifier>${escapeXml(header.identifier)}</identifier>` +
    `<datestamp>${escapeXml(header.datestamp)}</datestamp>` +
    `<metadataNamespace>${escapeXml(namespace)}</metadataNamespace>${nested}</originDescription></provenance>`
  );
}

/** What a source says about a record, besides its provenance. */
export function withoutProvenance(about: readonly string[]): readonly string[] {
  return about.filter((one) => !isProvenance(one));
}

function isProvenance(about: string): boolean {
  return readXmlRoot(about)?.namespace === NAMESPACE;
}

/** The element in a provenance, as an element of its own: with the namespaces that its parent declares. */
function originDescriptionIn(about: string): string {
  // What is in them is not to be taken for a tag.
  const provenance = about.replace(/<!--.*?-->|<\?.*?\?>/gs, '');
  if (provenance.includes('<!')) return '';
  const [root = ''] = /^<[^>]*>/.exec(provenance) ?? [];
  const start = /<(?:[^\s:/>]+:)?originDescription(?=[\s>])/.exec(provenance);
  const end = provenance.lastIndexOf('</', provenance.lastIndexOf('</') - 1);
  if (start === null || end < start.index) return '';
  const [tag] = /^<[^>]*/.exec(provenance.slice(start.index))!;
  const declarations = [...root.matchAll(/\s(xmlns(?::[^\s=]+)?)\s*=\s*(?:"[^"]*"|'[^']*')/g)];
  const missing = declarations.filter(([, name]) => !new RegExp(`\\s${RegExp.escape(name!)}\\s*=`).test(tag));
  const closing = provenance.slice(end, provenance.indexOf('>', end) + 1);
  const inner = provenance.slice(start.index + tag.length, end);
  return tag + missing.map(([text]) => text).join('') + inner + closing;
}
