import type { DocumentSchemaId } from '../artifacts/avro/schemas.ts';
import type { RecordProblem } from './input-item.ts';

/**
 * What is wrong with a document as the schema of its record promises it; undefined when nothing is. Of MAP 3.1 that is
 * JSON for Elasticsearch, which takes objects only. MAP 4.0 is RDF in any syntax: only that there is something is
 * required (see `isLikelyRdf`).
 */
export function contentProblem(schema: DocumentSchemaId, document: string): RecordProblem | undefined {
  switch (schema) {
    case 'OriginalRecord.v1':
      return undefined;
    case 'MAP.3_1.IndexRecord.v1':
      return isJsonObject(document)
        ? undefined
        : { kind: 'not-json', message: `its document is no JSON object, as ${schema} requires` };
    case 'MAP.4_0.MAPRecord.v1':
    case 'MAP.4_0.IndexRecord.v1':
      return document.trim() === '' ? { kind: 'no-document', message: 'its document is empty' } : undefined;
  }
}

export function isJsonObject(document: string): boolean {
  try {
    const value: unknown = JSON.parse(document);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Whether the documents of a schema are RDF. */
export function isOfRdf(schema: DocumentSchemaId): boolean {
  return schema === 'MAP.4_0.MAPRecord.v1' || schema === 'MAP.4_0.IndexRecord.v1';
}

const RDF_NAMESPACE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Characters at the end of a document in which its last statement of Turtle ends, but for comments. */
const END = 1_000;

/** Whether a document may be RDF: JSON-LD, RDF/XML or Turtle. A guess without parsing it, for a hint. */
export function isLikelyRdf(document: string): boolean {
  const text = document.trim();
  if (text.startsWith('{')) return text.includes('"@');
  // Turtle begins so with an IRI, XML with a declaration, a comment or the name of an element.
  const isXml = /^<(?:[?!]|[\w.-]+(?::[\w.-]+)?[\s/>])/.test(text);
  if (isXml) return text.includes(RDF_NAMESPACE);
  return text.includes('"@') || (/[:<]/.test(text) && /\.\s*(?:#[^\n]*)?$/.test(text.slice(-END)));
}
