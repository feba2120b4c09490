import n3 from 'n3';
import type { RdfNode, RdfValue } from './rdf-node.ts';
import { TransformError } from './transform.ts';

/** The subjects of a Turtle document, in order. @throws TransformError `not-rdf` */
export function readTurtle(text: string): readonly RdfNode[] {
  const nodes = new Map<string, TurtleNode>();
  const nodeOf = ({ value, termType }: n3.Term): TurtleNode => {
    const name = `${termType} ${value}`;
    let node = nodes.get(name);
    if (node === undefined) {
      node = new TurtleNode(termType === 'NamedNode' ? value : undefined);
      nodes.set(name, node);
    }
    return node;
  };
  for (const { subject, predicate, object } of quadsOf(text)) {
    nodeOf(subject).add(predicate.value, object.termType === 'Literal' ? object.value : nodeOf(object));
  }
  return [...nodes.values()];
}

function quadsOf(text: string): readonly n3.Quad[] {
  try {
    return new n3.Parser().parse(text);
  } catch (error) {
    throw new TransformError('not-rdf', `the document is not Turtle: ${(error as Error).message}`, error);
  }
}

class TurtleNode implements RdfNode {
  readonly iri: string | undefined;
  readonly #values = new Map<string, RdfValue[]>();

  constructor(iri: string | undefined) {
    this.iri = iri;
  }

  add(predicate: string, value: RdfValue): void {
    const values = this.#values.get(predicate);
    if (values === undefined) this.#values.set(predicate, [value]);
    else values.push(value);
  }

  values(predicate: string): readonly RdfValue[] {
    return this.#values.get(predicate) ?? [];
  }
}
