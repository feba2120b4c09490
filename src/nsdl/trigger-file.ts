import { TidemarkError } from '../core/errors.ts';
import { escapeXml } from '../lib/escape-xml.ts';
import { parseSmallXml, type XmlElement } from './small-xml.ts';
import { isUuid } from './uuid.ts';

/** What a trigger file of NSDL's harvest manager requests: harvest_v1.00 (see docs/nsdl.md). */
export interface Trigger {
  /** The handle of the metadata provider: it names the collection. */
  readonly collectionNA: string;
  readonly runType: RunType;
  readonly baseUrl: string;
  /** The prefix of the metadata format; undefined: that of the collection. */
  readonly format?: string;
  /** Without repetitions. */
  readonly sets: readonly string[];
  readonly fromDate?: string;
  /** The id that the harvest manager gave the harvest. */
  readonly uuid?: string;
}

export const RUN_TYPES = ['check', 'test', 'harvest', 'incremental_harvest', 'full_reharvest'] as const;
export type RunType = (typeof RUN_TYPES)[number];

const NAMESPACE = 'http://ns.nsdl.org/MRingest/harvest_v1.00/';
const SCHEMA = 'http://ns.nsdl.org/schemas/MRingest/harvest_v1.00.xsd';
const VERSION = '1.00.000';
const WRAPPER = 'harvestInfo';
const ROOT = 'harvestRequest';
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/;
const NAME = /^(?<collection>.+)_\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z_harvest\.xml$/;

/**
 * Parses the text of a trigger file. It is lenient where real ones differ from each other: empty elements, repeated
 * sets, white space. It refuses what could harvest something else than was meant.
 * @throws TidemarkError `invalid`; as `parseSmallXml`
 */
export function parseTrigger(text: string): Trigger {
  const request = requestIn(parseSmallXml(text));
  requireProtocol(textOfOne(request, 'protocol'));
  const format = formatOf(request);
  const fromDate = textOfOne(request, 'fromDate');
  const uuid = textOfOne(request, 'uuid');
  if (fromDate !== undefined && !isDate(fromDate)) {
    throw wrong('fromDate', fromDate, 'write it as 2008-05-11, or as 2008-05-11T23:00:02Z');
  }
  if (uuid !== undefined && !isUuid(uuid)) {
    throw wrong('uuid', uuid, 'use at most 100 letters, digits, hyphens, colons and full stops');
  }
  return {
    collectionNA: required(request, 'collectionNA'),
    runType: runTypeOf(required(request, 'runType')),
    baseUrl: baseUrlOf(required(request, 'baseURL')),
    ...(format !== undefined && { format }),
    sets: textsOf(request, 'sets', 'set'),
    ...(fromDate !== undefined && { fromDate }),
    ...(uuid !== undefined && { uuid }),
  };
}

/** `3694837_2008-05-11T23-00-02Z_harvest.xml`. @param time milliseconds since 1970 */
export function triggerName(collection: string, time: number): string {
  return `${collection}_${new Date(time)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')}_harvest.xml`;
}

/** @throws TidemarkError `invalid` */
export function requireTriggerName(name: string): void {
  if (NAME.test(name)) return;
  const expected = 'expected [collection-id]_[datestamp]_harvest.xml, such as 3694837_2008-05-11T23-00-02Z_harvest.xml';
  throw new TidemarkError('invalid', `its name is not that of a trigger file: ${expected}`);
}

/** The text of a trigger file. */
export function triggerText(trigger: Trigger & { readonly collectionId: string }): string {
  const { baseUrl, collectionNA, collectionId, runType, fromDate = '', sets, format, uuid = '' } = trigger;
  const element = (name: string, value: string) => `<${name}>${escapeXml(value)}</${name}>`;
  const values = [
    element('baseURL', baseUrl),
    element('collectionNA', collectionNA),
    element('collectionId', collectionId),
    element('runType', runType),
    '<providerEmail/>',
    '<requestedChecks/>',
    element('fromDate', fromDate),
    `<sets>${sets.map((set) => element('set', set)).join('')}</sets>`,
    `<formats>${format === undefined ? '' : element('format', format)}</formats>`,
    '<firstHarvest>false</firstHarvest>',
    element('uuid', uuid),
    '<protocol>oai</protocol>',
  ];
  const schema = `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} ${SCHEMA}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<${ROOT} xmlns="${NAMESPACE}" ${schema} schemaVersion="${VERSION}">
${values.map((value) => `  ${value}\n`).join('')}</${ROOT}>
`;
}

function requestIn(root: XmlElement): XmlElement {
  const isWrapped = root.name === WRAPPER && (root.namespace === NAMESPACE || root.namespace === '');
  const found = isWrapped ? root.children.filter(({ name }) => name === ROOT) : [root];
  const [request] = found;
  if (request === undefined || found.length > 1 || request.name !== ROOT || request.namespace !== NAMESPACE) {
    const { namespace, name } = request ?? root;
    throw new TidemarkError(
      'invalid',
      `its element is ${name} of the namespace "${namespace}", ${found.length} times: expected one ${ROOT} of ${NAMESPACE}`,
    );
  }
  const { schemaVersion = root.attributes.schemaVersion ?? VERSION } = request.attributes;
  if (schemaVersion.trim() !== VERSION) throw wrong('schemaVersion', schemaVersion, `expected ${VERSION}`);
  return request;
}

/** The value of an element that occurs once; undefined when it is absent or empty. */
function textOfOne({ children }: XmlElement, name: string): string | undefined {
  const found = children.filter((child) => child.name === name && child.namespace === NAMESPACE);
  const values = new Set(found.map(({ text }) => text).filter((text) => text !== ''));
  if (values.size > 1) throw new TidemarkError('invalid', `it has more than one ${name}: ${[...values].join(', ')}`);
  return [...values][0];
}

function required(request: XmlElement, name: string): string {
  const value = textOfOne(request, name);
  if (value === undefined) throw new TidemarkError('invalid', `it has no ${name}`);
  return value;
}

/** The texts of `sets/set` or `formats/format`, without empty and repeated ones. */
function textsOf({ children }: XmlElement, list: string, name: string): readonly string[] {
  const lists = children.filter((child) => child.name === list && child.namespace === NAMESPACE);
  const items = lists.flatMap((found) => found.children).filter((child) => child.name === name);
  return [...new Set(items.map(({ text }) => text).filter((text) => text !== ''))];
}

function formatOf(request: XmlElement): string | undefined {
  const formats = textsOf(request, 'formats', 'format');
  if (formats.length <= 1) return formats[0];
  const message = `it has the formats ${formats.join(', ')}: one harvest has one format, so write one file for each`;
  throw new TidemarkError('invalid', message);
}

function runTypeOf(text: string): RunType {
  const found = RUN_TYPES.find((known) => known === text);
  if (found === undefined) throw wrong('runType', text, `expected ${RUN_TYPES.join(', ')}`);
  return found;
}

function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isWeb) throw wrong('baseURL', text, 'expected a URL that begins with http:// or https://, without a password');
  return url.href;
}

function requireProtocol(text = 'oai'): void {
  if (!/^oai(?:-?pmh)?$/i.test(text)) throw wrong('protocol', text, 'expected oai');
}

function isDate(text: string): boolean {
  return (
    DATE.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text.slice(0, 10))
  );
}

function wrong(name: string, value: string, advice: string): TidemarkError {
  return new TidemarkError('invalid', `its ${name} is ${JSON.stringify(value.slice(0, 200))}: ${advice}`);
}
