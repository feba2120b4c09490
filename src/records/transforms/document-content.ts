import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { parsedJson } from '../../lib/parsed-json.ts';
import type { RecordProblem } from '../input-item.ts';

/**
 * The fault of a document according to the schema of its record; undefined when there is none. For MAP 3.1 the document
 * must be JSON for Elasticsearch, which accepts only objects. MAP 4.0 is RDF in any syntax: it only must not be empty
 * (see `isLikelyRdf`).
 */
export function contentProblem(schema: DocumentSchemaId, document: string): RecordProblem | undefined {
  switch (schema) {
    case 'OriginalRecord.v1':
      return undefined;
    case 'MAP.3_1.IndexRecord.v1':
      return isJsonObject(document)
        ? undefined
        : { kind: 'not-json', message: `its document is not a JSON object, as ${schema} requires` };
    case 'MAP.4_0.MAPRecord.v1':
    case 'MAP.4_0.IndexRecord.v1':
      return document.trim() === '' ? { kind: 'no-document', message: 'its document is empty' } : undefined;
  }
}

export function isJsonObject(document: string): boolean {
  const value = parsedJson(document);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the documents of a schema are RDF. */
export function isOfRdf(schema: DocumentSchemaId): boolean {
  return schema === 'MAP.4_0.MAPRecord.v1' || schema === 'MAP.4_0.IndexRecord.v1';
}

const RDF_NAMESPACE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Characters at the end of a document that contain the end of the last Turtle statement, unless comments follow. */
const END = 1_000;

/** Whether a document looks like RDF: JSON-LD, RDF/XML or Turtle. A guess without parsing it, for a hint. */
export function isLikelyRdf(document: string): boolean {
  const text = document.trim();
  if (text.startsWith('{')) return text.includes('"@');
  // An IRI in Turtle also begins with `<`; XML with a declaration, a comment or the name of an element.
  const isXml = /^<(?:[?!]|[\w.-]+(?::[\w.-]+)?[\s/>])/.test(text);
  if (isXml) return text.includes(RDF_NAMESPACE);
  return text.includes('"@') || (/[:<]/.test(text) && /\.\s*(?:#[^\n]*)?$/.test(text.slice(-END)));
}
