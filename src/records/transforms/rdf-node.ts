/** A node of a small RDF graph, with its statements. */
export interface RdfNode {
  /** Undefined for a blank node. */
  readonly iri: string | undefined;
  /** The values of a predicate, given as a full IRI. */
  values(predicate: string): readonly RdfValue[];
}

/** A literal as text, or a node. */
export type RdfValue = string | RdfNode;

export const NAMESPACES = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  dc: 'http://purl.org/dc/elements/1.1/',
  dcterms: 'http://purl.org/dc/terms/',
  dcmitype: 'http://purl.org/dc/dcmitype/',
  edm: 'http://www.europeana.eu/schemas/edm/',
  ore: 'http://www.openarchives.org/ore/terms/',
  dpla: 'http://dp.la/about/map/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  wgs84: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
} as const;

export type PrefixedName = `${keyof typeof NAMESPACES}:${string}`;

/** The full IRI of a name such as `dcterms:title`. */
export function iriOf(name: PrefixedName): string {
  const [prefix, local] = name.split(':') as [keyof typeof NAMESPACES, string];
  return NAMESPACES[prefix] + local;
}
