import { compile, type JSONValue } from 'json-p3';
import type { Expression, ExpressionLanguage } from './expressions.ts';
import { TransformError } from './transform.ts';

/** JSONPath (RFC 9535) in JSON documents. Texts, numbers and booleans are values; objects and lists are not. */
export const jsonpathLanguage: ExpressionLanguage<JSONValue> = {
  parse({ document, mimetype }) {
    if (mimetype !== undefined && mimetype !== 'application/json') {
      throw new TransformError('mimetype', `the mapping is for application/json, and the record is ${mimetype}`);
    }
    try {
      return JSON.parse(document.startsWith('\ufeff') ? document.slice(1) : document);
    } catch (error) {
      throw new TransformError('not-json', `the document is not JSON: ${(error as Error).message}`, error);
    }
  },

  compile(expression): Expression<JSONValue> {
    const query = compile(expression);
    return {
      // If it finds a list, the values are the items of the list.
      texts: (node) => query.query(node).values().flatMap(textsOf),
      nodes: (node) => query.query(node).values().flat(),
    };
  },
};

function textsOf(value: JSONValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
