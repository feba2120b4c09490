import { TidemarkError } from '../../../core/errors.ts';
import { NSDL_DC, OAI_DC } from '../../metadata-format.ts';
import type { SchemaCheck } from '../../transforms/schemas/schema-check.ts';
import type { XmlTransform } from '../../transforms/xml-transform.ts';
import type { SharedByFiles } from '../record-form.ts';
import { identifierUris } from './described-uris.ts';
import type { CutElement } from './element-writer.ts';
import type { OaiReading } from './oai-reading.ts';
import type { OaiRecord } from './oai-record.ts';

/** Milliseconds. */
const RECORD_TIMEOUT_MS = 10_000;
/** Odd setSpecs that are reported, each once. */
const MOST_SPECS = 1_000;

/** The formats that the transform nsdl_dc takes. */
const STANDARD = [OAI_DC.namespace, NSDL_DC.namespace];

/** A record to derive another one from. */
interface Source {
  readonly id: string;
  readonly metadata: CutElement;
}

export type Derived = Pick<OaiRecord, 'derived'> & { readonly problem?: string; readonly warning?: string | undefined };

/** What the pages of one delivery share: their format, and what is made of each record. */
export class OaiDelivery {
  readonly reading: OaiReading | undefined;
  #namespace: string | undefined;
  #transform: Promise<XmlTransform> | undefined;
  #schemas: Promise<SchemaCheck> | undefined;
  readonly #specs = new Set<string>();

  private constructor(reading: OaiReading | undefined) {
    this.reading = reading;
    this.#namespace = reading?.namespace;
  }

  /** That of the other pages. */
  static of(shared: SharedByFiles, reading: OaiReading | undefined): OaiDelivery {
    if (!(shared.opened instanceof OaiDelivery)) shared.opened = new OaiDelivery(reading);
    return shared.opened as OaiDelivery;
  }

  /**
   * Why a record is not in the format of the others, by the namespace of its metadata. Undefined when it is.
   * @throws TidemarkError `invalid` in a harvest: then it is not what was requested
   */
  formatProblem(namespace: string): string | undefined {
    this.#namespace ??= namespace;
    const { reading } = this;
    if (namespace === this.#namespace) {
      if (reading?.transform !== NSDL_DC.prefix || STANDARD.includes(namespace)) return undefined;
      throw invalid(`the transform nsdl_dc takes oai_dc and nsdl_dc, and the records are in ${namespace}`);
    }
    const found = namespace === '' ? 'no namespace' : namespace;
    if (reading === undefined) return `its metadata is in ${found}, and that of the first record in ${this.#namespace}`;
    const asked = `the format ${reading.format} was requested`;
    if (reading.namespace === undefined) throw invalid(`${asked}: records are in ${this.#namespace} and in ${found}`);
    throw invalid(`${asked}, which is ${reading.namespace}: the records are in ${found}`);
  }

  /** Returns whether it is the first time that an odd setSpec comes. */
  isNewSpec(spec: string): boolean {
    if (this.#specs.size >= MOST_SPECS || this.#specs.has(spec)) return false;
    this.#specs.add(spec);
    return true;
  }

  /** Whether `derive` has anything to do. */
  get derives(): boolean {
    const { transform, validate, requireUri } = this.reading ?? {};
    return transform !== undefined || validate === true || requireUri === true;
  }

  /**
   * What is made of each record, in their order.
   * @throws TidemarkError `invalid` when the transform cannot be used
   */
  async derive(records: readonly Source[]): Promise<readonly Derived[]> {
    const invalidOnes = await this.#validate(records);
    const valid = records.filter((_, at) => invalidOnes[at] === undefined);
    const made = (await this.#transformAll(valid)).values();
    return invalidOnes.map((problem, at) => {
      if (problem !== undefined) return { problem };
      const derived: Derived = made.next().value!;
      return derived.problem === undefined ? this.#withUri(derived, records[at]!) : derived;
    });
  }

  /** Ends the thread of the transform. */
  close(): void {
    this.#transform?.then((transform) => transform.close()).catch(() => {});
    this.#schemas?.then((schemas) => schemas.close()).catch(() => {});
  }

  async #validate(records: readonly Source[]): Promise<readonly (string | undefined)[]> {
    if (this.reading?.validate !== true) return records.map(() => undefined);
    const { openSchemaCheck } = await import('../../transforms/schemas/schema-check.ts');
    this.#schemas ??= openSchemaCheck();
    const schemas = await this.#schemas;
    return records.map(({ metadata: { namespace, xml } }) => {
      const [first, ...others] = schemas.check(namespace, xml);
      const more = others.length === 0 ? '' : `, and ${others.length} more`;
      return first && `its metadata is not valid by the schema of its format: ${first}${more}`;
    });
  }

  async #transformAll(records: readonly Source[]): Promise<readonly Derived[]> {
    if (this.reading?.transform === undefined || records.length === 0) return records.map(() => ({}));
    this.#transform ??= this.#openTransform(this.reading.transform);
    const transform = await this.#transform;
    const results = await transform.transform(records.map(({ id, metadata: { xml } }) => ({ id, xml })));
    const { prefix } = transform.format;
    return results.map((result, at) => {
      if ('problem' in result) return { problem: `${prefix} cannot be made of it: ${result.problem}` };
      // What is in the format already is stored once.
      if (result.xml === records[at]!.metadata.xml) return { warning: result.warning };
      return { derived: { format: prefix, xml: standingAlone(result.xml) }, warning: result.warning };
    });
  }

  async #openTransform(text: string): Promise<XmlTransform> {
    const { openXmlTransform } = await import('../../transforms/xml-transform.ts');
    const { folder = '.', recordTimeoutMs = RECORD_TIMEOUT_MS } = this.reading!;
    return openXmlTransform({ text, folder, recordTimeoutMs, signal: new AbortController().signal });
  }

  #withUri(derived: Derived, { metadata }: Source): Derived {
    const { requireUri } = this.reading!;
    if (requireUri !== true || identifierUris(derived.derived?.xml ?? metadata.xml).length > 0) return derived;
    return { problem: 'it has no identifier that is a http, https or ftp URI, which the collection requires' };
  }
}

const invalid = (message: string): TidemarkError => new TidemarkError('invalid', message);

/** A document as an element that means the same within another one, which has a default namespace. */
function standingAlone(xml: string): string {
  const element = xml.replace(/^\s*<\?xml[^>]*\?>/, '').trim();
  const [root = ''] = /^<[^>]*>/.exec(element) ?? [];
  const needsNone = !/\sxmlns\s*=/.test(root) && /<[A-Za-z_][\w.-]*[\s/>]/.test(element);
  return needsNone ? element.replace(/^<[^\s/>]+/, '$& xmlns=""') : element;
}
