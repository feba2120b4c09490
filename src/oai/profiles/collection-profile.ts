import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import type { Collection } from '../../records/collections/collection.ts';
import { OAI_NAMESPACE, type OaiRecord, readOaiRecord } from '../../records/forms/oai/oai-record.ts';
import { type MetadataFormat, NSDL_DC, OAI_DC } from '../../records/metadata-format.ts';
import { toNsdlDc } from '../../records/transforms/nsdl-dc.ts';
import { toOaiDc } from '../../records/transforms/oai-dc.ts';
import { TransformError } from '../../records/transforms/transform.ts';
import { dublinCoreIn, writeAsOaiDc } from '../metadata/dublin-core-of.ts';
import { provenanceOf, withoutProvenance } from '../metadata/provenance.ts';
import { readXmlRoot } from '../metadata/xml-root.ts';
import { PREFIX } from '../protocol.ts';
import { bytesOf, type Profile, type ServedRecord, type SourceSet, type StoredRecord } from './profile.ts';

/** The records of a harvested collection: as their source serves them, with its identifiers, sets and formats. */
export class CollectionProfile implements Profile {
  readonly isHarvested = true;
  readonly sets: readonly SourceSet[] | undefined;
  readonly #collection: Collection;
  readonly #native: MetadataFormat;
  readonly #sample: () => Promise<StoredRecord | undefined>;

  /** @param sample reads a record of the set, if it has one */
  constructor(collection: Collection, sample: () => Promise<StoredRecord | undefined>) {
    this.#collection = collection;
    this.#sample = sample;
    this.sets = collection.repository.sets;
    const { format: prefix, repository } = collection;
    this.#native = repository.formats.find((format) => format.prefix === prefix) ?? {
      prefix,
      namespace: '',
      schema: '',
    };
  }

  async formats(): Promise<readonly MetadataFormat[]> {
    const derived = await this.#derivedFormat();
    const own = derived === undefined ? [this.#native] : [derived, this.#native];
    const isDublinCore = own.some(({ namespace }) => namespace === OAI_DC.namespace);
    const found = [...own, OAI_DC, ...(isDublinCore ? [NSDL_DC] : [])];
    const isFirst = (prefix: string, at: number) => found.findIndex((other) => other.prefix === prefix) === at;
    return found.filter(({ prefix }, at) => PREFIX.test(prefix) && isFirst(prefix, at));
  }

  hasAll(prefix: string): boolean {
    if (prefix === this.#native.prefix) return isNamespaceOfParts(this.#native.namespace);
    return prefix === OAI_DC.prefix;
  }

  identifierOf(_key: ResourceKey, id: string): string {
    return id;
  }

  keyOf(identifier: string): ResourceKey | undefined {
    try {
      return keyOfRecordId(identifier);
    } catch (error) {
      if (isTidemarkError(error, 'invalid')) return undefined;
      throw error;
    }
  }

  async read(stored: StoredRecord): Promise<ServedRecord> {
    const record = readStored(stored);
    const { setSpecs } = record.header;
    return {
      setSpecs,
      metadata: (prefix) => servedPart(this.#metadata(record, prefix)),
      abouts: (prefix) => {
        const provenance = provenanceOf(record, {
          baseUrl: this.#collection.baseUrl,
          namespace: this.#native.namespace,
          harvested: stored.state.lastmod ?? 0,
          isAltered: this.#isDerived(record, prefix) || prefix !== this.#native.prefix,
        });
        const others = withoutProvenance(record.about).filter((about) => servedPart(about) !== undefined);
        return [...others, provenance];
      },
    };
  }

  #isDerived({ derived }: OaiRecord, prefix: string): boolean {
    return derived?.format === prefix;
  }

  #metadata(record: OaiRecord, prefix: string): string | undefined {
    const { metadata, derived } = record;
    if (this.#isDerived(record, prefix)) return derived?.xml;
    if (prefix === this.#native.prefix) return metadata;
    const sources = [derived?.xml, metadata].filter((xml) => xml !== undefined);
    if (prefix === NSDL_DC.prefix) return converted(sources, OAI_DC, toNsdlDc);
    if (prefix !== OAI_DC.prefix) return undefined;
    const found = converted(sources, NSDL_DC, toOaiDc);
    return found ?? writeAsOaiDc(record.header.identifier, dublinCoreIn(metadata ?? ''));
  }

  /** The format that the transform of the collection makes; undefined without a transform. */
  async #derivedFormat(): Promise<MetadataFormat | undefined> {
    const { transform } = this.#collection;
    if (transform === undefined) return undefined;
    const known = [NSDL_DC, OAI_DC].find(({ prefix }) => prefix === transform);
    if (known !== undefined) return known;
    const sample = await this.#sample();
    const derived = sample && readStored(sample).derived;
    const root = derived && readXmlRoot(derived.xml);
    return derived && { prefix: derived.format, namespace: root?.namespace ?? '', schema: root?.schema ?? '' };
  }
}

/** Undefined for an element that OAI-PMH.xsd does not allow in `metadata` and `about`: those have other namespaces. */
function servedPart(xml: string | undefined): string | undefined {
  return xml !== undefined && isNamespaceOfParts(readXmlRoot(xml)?.namespace ?? '') ? xml : undefined;
}

function isNamespaceOfParts(namespace: string): boolean {
  return namespace !== '' && namespace !== OAI_NAMESPACE;
}

/** A record whose bytes are those that were stored, and cannot be read, is a fault of this program or of its files. */
function readStored(stored: StoredRecord): OaiRecord {
  try {
    return readOaiRecord(bytesOf(stored));
  } catch (error) {
    if (!isTidemarkError(error, 'invalid')) throw error;
    throw new TidemarkError('unavailable', `the record ${stored.id.slice(0, 100)} cannot be read: ${error.message}`);
  }
}

/** Converts the first metadata that is in a format. Undefined when there is none, or it cannot be converted. */
function converted(
  sources: readonly string[],
  { namespace }: MetadataFormat,
  convert: (xml: string) => string,
): string | undefined {
  const source = sources.find((xml) => readXmlRoot(xml)?.namespace === namespace);
  if (source === undefined) return undefined;
  try {
    return convert(source);
  } catch (error) {
    if (error instanceof TransformError) return undefined;
    throw error;
  }
}
