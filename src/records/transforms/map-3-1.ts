import { iriOf, type PrefixedName, type RdfNode, type RdfValue } from './rdf-node.ts';
import { readRdf } from './read-rdf.ts';
import { type Transform, TransformError } from './transform.ts';

/**
 * Maps MAP 4.0 as RDF to MAP 3.1 as JSON (A07), the contents of the index of the platform's API. Each field has the
 * same shape in all documents, so that an index accepts them; they contain nothing about the run, so that an unchanged
 * record produces the same bytes again.
 */
export const map31: Transform = {
  name: 'map-3.1',
  schema: 'MAP.3_1.IndexRecord.v1',
  transform(record) {
    const aggregation = aggregationOf(readRdf(record));
    return { id: record.id, document: JSON.stringify(indexDocument(record.id, aggregation)) };
  },
};

type Fields = Record<string, unknown>;

function aggregationOf(nodes: readonly RdfNode[]): RdfNode {
  const found = nodes.filter((node) => node.values(iriOf('edm:aggregatedCHO')).length > 0);
  if (found.length === 1) return found[0]!;
  const message =
    found.length === 0
      ? 'the document has no ore:Aggregation with edm:aggregatedCHO, as MAP 4.0 has'
      : `the document has ${found.length} aggregations: a record has one`;
  throw new TransformError('no-aggregation', message);
}

function indexDocument(id: string, aggregation: RdfNode): Fields {
  const resource = all(aggregation, 'edm:aggregatedCHO').find((value) => typeof value === 'object');
  return filled({
    '@context': 'http://dp.la/api/items/context',
    '@id': aggregation.iri,
    '@type': 'ore:Aggregation',
    id,
    ingestType: 'item',
    aggregatedCHO: '#sourceResource',
    dataProvider: first(all(aggregation, 'edm:dataProvider').map(labelOf)),
    intermediateProvider: first(all(aggregation, 'dpla:intermediateProvider').map(labelOf)),
    provider: first(all(aggregation, 'edm:provider').map(agentOf)),
    isShownAt: first(all(aggregation, 'edm:isShownAt').map(referenceOf)),
    // In MAP 3.1, `object` is the thumbnail.
    object: first(all(aggregation, 'edm:preview', 'edm:object').map(referenceOf)),
    hasView: listOf(all(aggregation, 'edm:hasView').map((view) => filled({ '@id': referenceOf(view) }))),
    rights: first(all(aggregation, 'edm:rights').map(referenceOf)),
    originalRecord: first(all(aggregation, 'dpla:originalRecord').map(originalRecordOf)),
    sourceResource: resource === undefined ? undefined : sourceResource(resource as RdfNode, aggregation.iri),
  })!;
}

function sourceResource(resource: RdfNode, aggregation: string | undefined): Fields | undefined {
  const labels = (...names: PrefixedName[]) => listOf(all(resource, ...names).map(labelOf));
  const named = (...names: PrefixedName[]) =>
    listOf(all(resource, ...names).map((value) => filled({ name: labelOf(value) })));
  return filled({
    '@id': aggregation === undefined ? undefined : `${aggregation}#sourceResource`,
    collection: listOf(all(resource, 'dcterms:isPartOf').map(collectionOf)),
    contributor: labels('dcterms:contributor', 'dc:contributor'),
    creator: labels('dcterms:creator', 'dc:creator'),
    date: listOf(all(resource, 'dc:date', 'dcterms:date', 'dcterms:created').map(timeSpanOf)),
    description: labels('dcterms:description', 'dc:description'),
    extent: labels('dcterms:extent'),
    format: labels('dc:format', 'dcterms:format'),
    identifier: labels('dcterms:identifier', 'dc:identifier'),
    language: listOf(all(resource, 'dcterms:language', 'dc:language').map(languageOf)),
    publisher: labels('dcterms:publisher', 'dc:publisher'),
    relation: labels('dc:relation', 'dcterms:relation'),
    rights: labels('dc:rights', 'dcterms:rights'),
    spatial: listOf(all(resource, 'dcterms:spatial', 'dc:coverage').map(placeOf)),
    specType: labels('edm:hasType'),
    subject: named('dcterms:subject', 'dc:subject'),
    temporal: listOf(all(resource, 'dcterms:temporal').map(timeSpanOf)),
    title: labels('dcterms:title', 'dc:title'),
    type: listOf(all(resource, 'dcterms:type', 'dc:type').map(typeOf)),
  });
}

function collectionOf(value: RdfValue): Fields | undefined {
  if (typeof value === 'string') return { title: value };
  const title = first(texts(value, 'dcterms:title', 'dc:title')) ?? labelOf(value);
  return filled({ '@id': value.iri, title, description: first(texts(value, 'dcterms:description', 'dc:description')) });
}

function timeSpanOf(value: RdfValue): Fields | undefined {
  if (typeof value === 'string') return { displayDate: value };
  const [begin, end] = [first(texts(value, 'edm:begin')), first(texts(value, 'edm:end'))];
  return filled({ displayDate: providedLabel(value), begin, end });
}

function placeOf(value: RdfValue): Fields | undefined {
  if (typeof value === 'string') return { name: value };
  const [latitude, longitude] = [first(texts(value, 'wgs84:lat')), first(texts(value, 'wgs84:long'))];
  const coordinates = latitude === undefined || longitude === undefined ? undefined : `${latitude}, ${longitude}`;
  return filled({ name: labelOf(value), coordinates });
}

const ISO_639_3 = /^https?:\/\/(?:www\.)?lexvo\.org\/id\/iso639-3\/([a-z]{3})$/;

function languageOf(value: RdfValue): Fields | undefined {
  if (typeof value === 'string') return { name: value };
  const [, code] = ISO_639_3.exec(value.iri ?? '') ?? [];
  return filled({ name: providedLabel(value) ?? code ?? value.iri, iso639_3: code });
}

/** The types of DCMI, as words: `moving image`. */
function typeOf(value: RdfValue): string | undefined {
  if (typeof value === 'string') return value;
  const [, name] = /^http:\/\/purl\.org\/dc\/dcmitype\/([A-Za-z]+)$/.exec(value.iri ?? '') ?? [];
  return name?.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() ?? labelOf(value);
}

function agentOf(value: RdfValue): Fields | undefined {
  if (typeof value === 'string') return { name: value };
  return filled({ '@id': value.iri, name: providedLabel(value) });
}

function originalRecordOf(value: RdfValue): Fields | undefined {
  return typeof value === 'string' ? { stringValue: value } : filled({ '@id': value.iri });
}

/** The label of a value, or its IRI without a label. */
function labelOf(value: RdfValue): string | undefined {
  return typeof value === 'string' ? value : (providedLabel(value) ?? value.iri);
}

function providedLabel(node: RdfNode): string | undefined {
  return first(texts(node, 'skos:prefLabel', 'rdfs:label', 'dpla:providedLabel'));
}

function referenceOf(value: RdfValue): string | undefined {
  return typeof value === 'string' ? value : value.iri;
}

function all(node: RdfNode, ...names: readonly PrefixedName[]): readonly RdfValue[] {
  return names.flatMap((name) => node.values(iriOf(name)));
}

function texts(node: RdfNode, ...names: readonly PrefixedName[]): readonly string[] {
  return all(node, ...names).filter((value) => typeof value === 'string');
}

function first<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  return values.find((value) => value !== undefined);
}

/** Undefined for an empty list, so that the field is left out. */
function listOf<Value>(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const found = values.filter((value) => value !== undefined);
  return found.length === 0 ? undefined : found;
}

/** Removes undefined fields; undefined when no field is left. */
function filled(fields: Fields): Fields | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
