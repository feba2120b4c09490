import type { TransformInput } from './transform.ts';

/** A language in which a mapping describes where values are: xpath.ts, jsonpath.ts. Each has its own nodes. */
export interface ExpressionLanguage<Node> {
  /** @throws TransformError when the language is not for documents of this kind */
  parse(record: TransformInput): Node;
  /** @throws Error with the fault of the expression */
  compile(expression: string): Expression<Node>;
}

export interface Expression<Node> {
  /** The values as texts. @throws Error when the expression cannot handle the contents of the document */
  texts(node: Node): readonly string[];
  nodes(node: Node): readonly Node[];
}
