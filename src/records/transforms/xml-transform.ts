import { resolve } from 'node:path';
import { type MetadataFormat, NSDL_DC, OAI_DC } from '../metadata-format.ts';
import { valuesOfFields } from './dublin-core/values-of-fields.ts';
import { isSheet, isTransformFile } from './load-transform.ts';
import { notUsable } from './not-usable.ts';
import { nsdlDc, writeNsdlDc, wrongFormat } from './nsdl-dc.ts';
import { oaiDc } from './oai-dc.ts';
import { elementOf, oneElement } from './one-element.ts';
import { type Outputs, type OutputTarget, outputOf } from './output-record.ts';
import type { Transform, TransformInput } from './transform.ts';
import { TransformRunner } from './transform-runner.ts';

/** Makes metadata of another format, each of one element, of the metadata of records. */
export interface XmlTransform {
  /** That of the results. */
  readonly format: MetadataFormat;
  /** The results in the order of the records. One that cannot be transformed does not affect the others. */
  transform(records: readonly XmlRecord[]): Promise<readonly XmlResult[]>;
  close(): void;
}

interface XmlRecord {
  readonly id: string;
  /** One element, with all its namespaces. */
  readonly xml: string;
}

export type XmlResult =
  | { readonly xml: string; readonly warning?: string }
  | { readonly problem: string; readonly kind: string };

interface XmlTransformOptions {
  /** `nsdl_dc`, `oai_dc`, or the path of a sheet, a mapping file or a module. */
  readonly text: string;
  /** Base of relative paths. */
  readonly folder: string;
  /** Milliseconds that one record may take, in a sheet, a mapping or a module. */
  readonly recordTimeoutMs: number;
  readonly signal: AbortSignal;
}

const INCLUDED: ReadonlyMap<string, readonly [Transform, MetadataFormat]> = new Map([
  [NSDL_DC.prefix, [nsdlDc, NSDL_DC]],
  [OAI_DC.prefix, [oaiDc, OAI_DC]],
]);

/** Activities are not concerned: the documents of any schema pass, and the context is only known to modules. */
const TARGET: OutputTarget = {
  schema: 'OriginalRecord.v1',
  context: { provider: '', activity: 'mapping', generator: '' },
};

/**
 * Opens a transform of XML (E21, E22). Those that are included run in this thread, files in one of their own.
 * @throws TidemarkError `invalid` when it is none; the signal's reason, here and later
 */
export async function openXmlTransform(options: XmlTransformOptions): Promise<XmlTransform> {
  const { text, folder } = options;
  const included = INCLUDED.get(text);
  if (included !== undefined) return includedTransform(...included);
  if (!isTransformFile(text)) {
    throw notUsable(
      text,
      `is not a transform of XML: use ${[...INCLUDED.keys()].join(', ')}, or the path of a sheet (.xsl, .xslt), a mapping (.json) or a module (.js, .mjs, .ts)`,
    );
  }
  // A mapping and a module name no format: what they make is nsdl_dc.
  const format = isSheet(text)
    ? await (await import('./xslt/sheet-format.ts')).formatOfSheet(resolve(folder, text))
    : NSDL_DC;
  const runner = await TransformRunner.open(options);
  return {
    format,
    async transform(records) {
      const outputs = await runner.transform(records.map(inputOf), TARGET);
      return outputs.map((output) => resultOf(output, (document) => checked(document, format, isSheet(text))));
    },
    close: () => runner.close(),
  };
}

function includedTransform(transform: Transform, format: MetadataFormat): XmlTransform {
  return {
    format,
    async transform(records) {
      const outputs = await Promise.all(records.map((record) => outputOf(inputOf(record), transform, TARGET)));
      return outputs.map((output) => resultOf(output, (document) => document));
    },
    close() {},
  };
}

function inputOf({ id, xml }: XmlRecord): TransformInput {
  return { id, document: xml, mimetype: 'application/xml' };
}

function resultOf(outputs: Outputs, check: (document: string) => string): XmlResult {
  if ('problem' in outputs) return { problem: outputs.problem.message, kind: outputs.problem.kind };
  const [output, ...others] = outputs.records;
  if (output === undefined || others.length > 0) {
    const count = outputs.records.length;
    return { problem: `the transform made ${count} documents of the record: one is expected`, kind: 'no-document' };
  }
  try {
    return { xml: check(output.document) };
  } catch (error) {
    const { kind = 'transform', message } = error as Error & { readonly kind?: string };
    return { problem: message, kind };
  }
}

/**
 * @param isChecked whether it is one element for certain, as sheets make them
 * @throws TransformError when it is not one element of the format, or nsdl_dc without a title
 */
function checked(document: string, format: MetadataFormat, isChecked: boolean): string {
  // Mappings make JSON.
  if (document.startsWith('{')) return writeNsdlDc(valuesOfFields(document));
  const { xml, root, namespace } = (isChecked ? elementOf : oneElement)(document);
  if (namespace === format.namespace) return xml;
  throw wrongFormat(root, namespace, `the result to be ${format.prefix}`);
}
