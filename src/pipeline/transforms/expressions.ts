import type { TransformInput } from './transform.ts';

/** A language in which a mapping says where values are: xpath.ts, jsonpath.ts. Nodes are its own. */
export interface ExpressionLanguage<Node> {
  /** @throws TransformError when the document is none of the kind that the language is for */
  parse(record: TransformInput): Node;
  /** @throws Error that says what is wrong with the expression */
  compile(expression: string): Expression<Node>;
}

export interface Expression<Node> {
  /** The values as texts. @throws Error for what the document has that the expression cannot take */
  texts(node: Node): readonly string[];
  nodes(node: Node): readonly Node[];
}
