import { escapeXml } from '../lib/escape-xml.ts';
import { OAI_NAMESPACE } from '../records/forms/oai/oai-record.ts';
import type { MetadataFormat } from '../records/metadata-format.ts';
import type { RequestArguments } from './parse-request.ts';
import type { SourceSet } from './profiles/profile.ts';
import { PREFIX, type ProtocolError, SET_SPEC } from './protocol.ts';

/** The beginning of each answer. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

const SCHEMA = `${OAI_NAMESPACE}OAI-PMH.xsd`;
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const STYLESHEET = 'oai.xsl';
/** RFC 3986. */
const URI = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

interface Answer {
  readonly responseDate: string;
  /** Where the style sheet is. Relative, since a base URL may have a path. */
  readonly folder: '' | '../';
  readonly baseUrl: string;
  /** The arguments to repeat. */
  readonly given: RequestArguments;
  /** An element with the name of the verb, or elements `error`. */
  readonly body: string;
}

/** A whole answer (OAI-PMH 2.0, 3.2). */
export function writeAnswer({ responseDate, folder, baseUrl, given, body }: Answer): string {
  const repeated = given.filter(([name, value]) => isWritable(name, value));
  const attributes = repeated.map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join('');
  return (
    `${XML_DECLARATION}<?xml-stylesheet type="text/xsl" href="${folder}${STYLESHEET}"?>\n` +
    `<OAI-PMH xmlns="${OAI_NAMESPACE}" xmlns:xsi="${XSI}" xsi:schemaLocation="${OAI_NAMESPACE} ${SCHEMA}">\n` +
    `<responseDate>${responseDate}</responseDate>\n<request${attributes}>${escapeXml(baseUrl)}</request>\n` +
    `${body}\n</OAI-PMH>\n`
  );
}

/** OAI-PMH.xsd: a value that has not the form of its argument cannot be repeated. */
function isWritable(name: string, value: string): boolean {
  if (name === 'metadataPrefix') return PREFIX.test(value);
  if (name === 'set') return SET_SPEC.test(value);
  return name !== 'identifier' || URI.test(value);
}

export function writeErrors(errors: readonly ProtocolError[]): string {
  return errors.map(({ code, message }) => `<error code="${code}">${escapeXml(message)}</error>`).join('\n');
}

/** @param ofElements the prefix of its elements, with a colon */
export function writeFormat({ prefix, namespace, schema }: MetadataFormat, ofElements = ''): string {
  const element = (name: string, text: string) => `<${ofElements}${name}>${escapeXml(text)}</${ofElements}${name}>`;
  const parts = [
    element('metadataPrefix', prefix),
    element('schema', schema || namespace),
    element('metadataNamespace', namespace),
  ];
  return `<${ofElements}metadataFormat>${parts.join('')}</${ofElements}metadataFormat>`;
}

export function writeFormats(formats: readonly MetadataFormat[]): string {
  return `<ListMetadataFormats>${formats.map((format) => writeFormat(format)).join('')}</ListMetadataFormats>`;
}

/** Without the sets whose setSpec OAI-PMH does not allow, as in headers. */
export function writeSets(sets: readonly SourceSet[]): string {
  const allowed = sets.filter(({ spec }) => SET_SPEC.test(spec));
  const written = allowed.map(({ spec, name, description }) => {
    const described = description === undefined ? '' : `<setDescription>${description}</setDescription>`;
    return `<set><setSpec>${escapeXml(spec)}</setSpec><setName>${escapeXml(name)}</setName>${described}</set>\n`;
  });
  return `<ListSets>\n${written.join('')}</ListSets>`;
}

interface Token {
  /** Empty at the end of the list. */
  readonly token: string;
  readonly cursor: number;
  readonly size: number | undefined;
}

export function writeToken({ token, cursor, size }: Token): string {
  const total = size === undefined || size === 0 ? '' : ` completeListSize="${size}"`;
  return `<resumptionToken${total} cursor="${cursor}">${token}</resumptionToken>\n`;
}
