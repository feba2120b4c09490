import { parsedJson } from '../../lib/parsed-json.ts';
import type { RdfNode } from './rdf-node.ts';
import { type JsonValue, readJsonLd } from './read-json-ld.ts';
import { readTurtle } from './read-turtle.ts';
import { TransformError, type TransformInput } from './transform.ts';

/**
 * The nodes of an RDF document: JSON-LD or Turtle, distinguished by its first character if there is no MIME type.
 * @throws TransformError `not-rdf`
 */
export function readRdf({ document, mimetype }: Pick<TransformInput, 'document' | 'mimetype'>): readonly RdfNode[] {
  const text = document.trimStart();
  if (mimetype === 'application/xml' || /^<(\?xml|[\w.-]+:RDF)\b/.test(text)) {
    throw new TransformError('not-rdf', 'the document is XML: RDF is read as JSON-LD or Turtle');
  }
  if (mimetype === 'text/turtle') return readTurtle(text);
  // A blank node of Turtle begins like a list of JSON.
  const json = /^[{[]/.test(text) ? (parsedJson(text) as JsonValue | undefined) : undefined;
  if (json !== undefined) return readJsonLd(json);
  if (mimetype === 'application/json' || text.startsWith('{')) {
    throw new TransformError('not-json', 'the document is not JSON');
  }
  return readTurtle(text);
}
