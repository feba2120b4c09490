import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { OAI_NAMESPACE, readOaiRecord } from '../../records/forms/oai/oai-record.ts';
import { STORED } from '../../records/forms/record-forms.ts';
import { type MetadataFormat, OAI_DC } from '../../records/metadata-format.ts';
import { dublinCoreIn, writeAsOaiDc } from '../metadata/dublin-core-of.ts';
import { mapDublinCore } from '../metadata/map-dublin-core.ts';
import { nativeXml } from '../metadata/native-xml.ts';
import { readXmlRoot } from '../metadata/xml-root.ts';
import { bytesOf, type Profile, type ServedRecord, type StoredRecord } from './profile.ts';

interface PlainSet {
  readonly slug: string;
  /** The host of the base URL of this server. */
  readonly host: string;
  /** The media type of its records, as far as the set says it. */
  readonly mime?: string | undefined;
  /** Reads a record of the set, if it has one. */
  readonly sample: () => Promise<StoredRecord | undefined>;
  /** Its setSpec in a larger repository. */
  readonly spec?: string | undefined;
}

const XML = 'application/xml';
const RDF_XML = 'application/rdf+xml';
/** By the media type of stored records. */
const SERVED_FORMATS = new Map(STORED.map(({ stored, servedFormats }) => [stored.mime, servedFormats?.()]));

/** The records of a stream or artifact. Identifiers name this server: ids are unique only in their set. */
export class PlainProfile implements Profile {
  readonly isHarvested = false;
  readonly memberOf: readonly string[];
  readonly #set: PlainSet;

  constructor(set: PlainSet) {
    this.#set = set;
    this.memberOf = set.spec === undefined ? [] : [set.spec];
  }

  async formats(): Promise<readonly MetadataFormat[]> {
    const sample = await this.#set.sample();
    const mimes = new Set([this.#set.mime, sample?.mime].filter((mime) => mime !== undefined));
    const formats = [OAI_DC];
    for (const mime of mimes) formats.push(...((await SERVED_FORMATS.get(mime)) ?? []).map(({ format }) => format));
    const native = sample && isXml(sample.mime) ? nativeXml(withoutEnvelope(bytesOf(sample).toString())) : undefined;
    if (native !== undefined) formats.push(native.format);
    return formats.filter(({ prefix }, at) => formats.findIndex((other) => other.prefix === prefix) === at);
  }

  hasAll(prefix: string): boolean {
    return prefix === OAI_DC.prefix;
  }

  identifierOf(key: ResourceKey): string {
    return `oai:${this.#set.host}:${this.#set.slug}${key}`;
  }

  /** Accepts any host: a set that has moved keeps its records. */
  keyOf(identifier: string): ResourceKey | undefined {
    const { slug } = this.#set;
    const [, key] = /^oai:[^:/]*:[^:/]*(\/.*)$/s.exec(identifier) ?? [];
    return key !== undefined && identifier.endsWith(`:${slug}${key}`) ? key : undefined;
  }

  async read(record: StoredRecord): Promise<ServedRecord> {
    const document = bytesOf(record);
    const served = await SERVED_FORMATS.get(record.mime);
    const write = (prefix: string) => {
      if (served !== undefined) return served.find(({ format }) => format.prefix === prefix)?.write(document);
      return metadataOf(record, document.toString(), prefix);
    };
    return { setSpecs: this.memberOf, metadata: write, abouts: () => [] };
  }
}

function metadataOf({ id, mime }: StoredRecord, text: string, prefix: string): string | undefined {
  const native = isXml(mime) ? nativeXml(withoutEnvelope(text)) : undefined;
  if (native?.format.prefix === prefix) return native.xml;
  if (prefix !== OAI_DC.prefix) return undefined;
  return writeAsOaiDc(id, native === undefined ? mapDublinCore(id, text) : dublinCoreIn(native.xml));
}

/** A record of OAI-PMH that an organization has uploaded is served as the metadata in it. */
function withoutEnvelope(text: string): string {
  if (readXmlRoot(text)?.namespace !== OAI_NAMESPACE) return text;
  try {
    return readOaiRecord(Buffer.from(text)).metadata ?? '';
  } catch (error) {
    // Another document with this namespace: it cannot be served as it is.
    if (isTidemarkError(error, 'invalid')) return '';
    throw error;
  }
}

function isXml(mime: string): boolean {
  return mime === XML || mime === RDF_XML;
}
