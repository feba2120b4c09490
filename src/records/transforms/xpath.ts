import fontoxpath from 'fontoxpath';
import { type Node, parseXmlDocument } from 'slimdom';
import type { ExpressionLanguage } from './expressions.ts';
import { TransformError } from './transform.ts';

const { evaluateXPathToNodes, evaluateXPathToStrings } = fontoxpath;

/**
 * Number of characters that entities may add to a document; above that, at most ten times its length. The library's own
 * limits take seconds to reach.
 */
const EXPANSION = { entityExpansionThreshold: 200_000, entityExpansionMaxAmplification: 10 };
const EMPTY = parseXmlDocument('<empty/>');
// Errors of the expression itself (XPath 3.1, 2.3.1); other errors depend on the document.
const STATIC_ERROR = /\bXPST\d{4}\b.*/;

/** XPath 3.1 in XML documents. Values are trimmed, and empty ones left out: harvested XML is indented. */
export function xpathLanguage(namespaces: Readonly<Record<string, string>>): ExpressionLanguage<Node> {
  const options = {
    namespaceResolver: (prefix: string) => (Object.hasOwn(namespaces, prefix) ? namespaces[prefix]! : null),
  };
  return {
    parse({ document, mimetype }) {
      if (mimetype !== undefined && mimetype !== 'application/xml') {
        throw new TransformError('mimetype', `the mapping is for application/xml, and the record is ${mimetype}`);
      }
      try {
        // A byte order mark is not part of the document (XML 1.0, 4.3.3).
        return parseXmlDocument(document.startsWith('\ufeff') ? document.slice(1) : document, EXPANSION);
      } catch (error) {
        const [reason] = (error as Error).message.split('\n');
        throw new TransformError('not-xml', `the document is not XML: ${reason}`, error);
      }
    },

    compile(expression) {
      requireRight(() => evaluateXPathToStrings(expression, EMPTY, null, null, options));
      return {
        texts: (node) =>
          evaluateXPathToStrings(expression, node, null, null, options)
            .map((text) => text.trim())
            .filter((text) => text !== ''),
        nodes: (node) => evaluateXPathToNodes<Node>(expression, node, null, null, options),
      };
    },
  };
}

/** The library resolves prefixes and functions when an expression is first used. */
function requireRight(use: () => unknown): void {
  try {
    use();
  } catch (error) {
    const [reason] = STATIC_ERROR.exec(String(error)) ?? [];
    if (reason !== undefined) throw new Error(reason);
  }
}
