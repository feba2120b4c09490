import assert from 'node:assert/strict';
import { map31 } from '../../../src/records/transforms/map-3-1.ts';
import type { TransformInput } from '../../../src/records/transforms/transform.ts';
import { useElasticsearch } from '../../support/elasticsearch.ts';
import { uniquePrefix } from '../../support/elasticsearch-indices.ts';

const CONTEXT = { provider: 'cdl', activity: 'indexing', generator: 'cdl/mapping/x.avro' } as const;
const PREFIXES = {
  ore: 'http://www.openarchives.org/ore/terms/',
  edm: 'http://www.europeana.eu/schemas/edm/',
  dcterms: 'http://purl.org/dc/terms/',
  dc: 'http://purl.org/dc/elements/1.1/',
  dpla: 'http://dp.la/about/map/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  wgs84: 'http://www.w3.org/2003/01/geo/wgs84_pos#',
};
const AGGREGATION = 'https://example.org/items/1';

/** A record of MAP 4.0 with every kind of value. */
const JSON_LD = {
  '@context': PREFIXES,
  '@id': AGGREGATION,
  '@type': 'ore:Aggregation',
  'edm:provider': { '@id': 'https://example.org/cdl', 'skos:prefLabel': 'California' },
  'edm:dataProvider': { 'dpla:providedLabel': 'A library' },
  'edm:isShownAt': { '@id': 'https://example.org/1' },
  'edm:preview': { '@id': 'https://example.org/1.jpg' },
  'edm:rights': { '@id': 'http://rightsstatements.org/vocab/NoC-US/1.0/' },
  'dpla:originalRecord': '<record/>',
  'edm:aggregatedCHO': {
    '@id': `${AGGREGATION}#it`,
    'dcterms:title': ['A map', 'Eine Karte'],
    'dcterms:creator': [{ 'skos:prefLabel': 'Someone' }, 'Else'],
    'dc:date': [{ 'dpla:providedLabel': 'about 1900', 'edm:begin': '1899', 'edm:end': '1901' }, '1905'],
    'dcterms:language': [{ '@id': 'http://lexvo.org/id/iso639-3/eng' }, 'German'],
    'dcterms:spatial': { 'skos:prefLabel': 'Zürich', 'wgs84:lat': '47.4', 'wgs84:long': '8.5' },
    'dcterms:subject': ['Maps', { 'skos:prefLabel': 'Cities' }],
    'dcterms:type': [{ '@id': 'http://purl.org/dc/dcmitype/MovingImage' }, 'image'],
    'dcterms:isPartOf': { '@id': 'https://example.org/maps', 'dcterms:title': 'Maps' },
    'dc:format': 'paper',
  },
};

const TURTLE = `
${Object.entries(PREFIXES)
  .map(([prefix, iri]) => `@prefix ${prefix}: <${iri}> .`)
  .join('\n')}
<${AGGREGATION}> a ore:Aggregation ;
  edm:provider <https://example.org/cdl> ; edm:dataProvider [ dpla:providedLabel "A library" ] ;
  edm:isShownAt <https://example.org/1> ; edm:preview <https://example.org/1.jpg> ;
  edm:rights <http://rightsstatements.org/vocab/NoC-US/1.0/> ; dpla:originalRecord "<record/>" ;
  edm:aggregatedCHO <${AGGREGATION}#it> .
<https://example.org/cdl> skos:prefLabel "California"@en .
<${AGGREGATION}#it> dcterms:title "A map", "Eine Karte"@de ; dcterms:creator [ skos:prefLabel "Someone" ], "Else" ;
  dc:date [ dpla:providedLabel "about 1900" ; edm:begin "1899" ; edm:end "1901" ], "1905" ;
  dcterms:language <http://lexvo.org/id/iso639-3/eng>, "German" ;
  dcterms:spatial [ skos:prefLabel "Zürich" ; wgs84:lat 47.4 ; wgs84:long 8.5 ] ;
  dcterms:subject "Maps", [ skos:prefLabel "Cities" ] ;
  dcterms:type <http://purl.org/dc/dcmitype/MovingImage>, "image" ;
  dcterms:isPartOf <https://example.org/maps> ; dc:format "paper" .
<https://example.org/maps> dcterms:title "Maps" .`;

const INDEXED = {
  '@context': 'http://dp.la/api/items/context',
  '@id': AGGREGATION,
  '@type': 'ore:Aggregation',
  id: 'a',
  ingestType: 'item',
  aggregatedCHO: '#sourceResource',
  dataProvider: 'A library',
  provider: { '@id': 'https://example.org/cdl', name: 'California' },
  isShownAt: 'https://example.org/1',
  object: 'https://example.org/1.jpg',
  rights: 'http://rightsstatements.org/vocab/NoC-US/1.0/',
  originalRecord: { stringValue: '<record/>' },
  sourceResource: {
    '@id': `${AGGREGATION}#sourceResource`,
    collection: [{ '@id': 'https://example.org/maps', title: 'Maps' }],
    creator: ['Someone', 'Else'],
    date: [{ displayDate: 'about 1900', begin: '1899', end: '1901' }, { displayDate: '1905' }],
    format: ['paper'],
    language: [{ name: 'eng', iso639_3: 'eng' }, { name: 'German' }],
    spatial: [{ name: 'Zürich', coordinates: '47.4, 8.5' }],
    subject: [{ name: 'Maps' }, { name: 'Cities' }],
    title: ['A map', 'Eine Karte'],
    type: ['moving image', 'image'],
  },
};

describe('A07: the transform to MAP 3.1', () => {
  it('A14: makes the same JSON of MAP 4.0 in JSON-LD and in Turtle', () => {
    assert.deepEqual(indexed({ document: JSON.stringify(JSON_LD) }), INDEXED);
    assert.deepEqual(indexed({ document: TURTLE }), INDEXED);
  });

  it('reads nodes of a graph, other prefixes, terms, values with a language, and what has no @id', () => {
    const document = JSON.stringify({
      '@context': [
        'https://example.org/context',
        {
          t: 'http://purl.org/dc/terms/',
          title: { '@id': 't:title' },
          '@vocab': 'http://www.europeana.eu/schemas/edm/',
        },
      ],
      '@graph': [
        {
          '@id': '_:it',
          title: { '@value': 'A map', '@language': 'en' },
          't:creator': { '@list': ['One', 'Two'] },
          unknown: 1,
        },
        { '@type': 'http://www.openarchives.org/ore/terms/Aggregation', aggregatedCHO: { '@id': '_:it' } },
      ],
    });

    const { sourceResource, ...rest } = indexed({ document });

    assert.deepEqual(sourceResource, { title: ['A map'], creator: ['One', 'Two'] });
    assert.equal(rest['@id'], undefined);
  });

  it('reads IRIs of terms that have them as strings, aliases of keywords, and terms in any order', () => {
    const { edm, dcterms } = PREFIXES;
    const [id, work] = [AGGREGATION, { '@id': 'https://example.org/work', 'dcterms:title': 'A map' }];
    const documents = [
      {
        '@context': { edm, dcterms, 'edm:aggregatedCHO': { '@type': '@id' } },
        '@graph': [{ '@id': id, 'edm:aggregatedCHO': work['@id'] }, work],
      },
      {
        '@context': { work: { '@id': 'edm:aggregatedCHO', '@type': '@vocab' }, map: work['@id'], edm, dcterms },
        '@graph': [{ '@id': id, work: 'map' }, work],
      },
      {
        '@context': { edm, dcterms, id: '@id', values: '@set' },
        id,
        'edm:aggregatedCHO': { values: [{ id: 'https://example.org/work', 'dcterms:title': 'A map' }] },
      },
      { '@context': { work: 'e:aggregatedCHO', e: edm, dcterms }, '@id': id, work },
      {
        '@context': [
          { work: 'https://example.org/other' },
          { '@vocab': 'e:', e: edm, work: { '@id': 'aggregatedCHO' } },
        ],
        '@id': id,
        work: { '@context': { work: null, title: 'dcterms:title' }, title: 'A map', work: 'of no context' },
      },
    ];

    for (const document of documents) {
      const made = indexed({ document: JSON.stringify(document) });

      const sourceResource = { '@id': `${id}#sourceResource`, title: ['A map'] };
      assert.deepEqual([made['@id'], made.sourceResource], [id, sourceResource], JSON.stringify(document));
    }
  });

  it('fails what is not RDF, and what has no aggregation or several', () => {
    const one = { 'edm:aggregatedCHO': {} };
    const cases: readonly (readonly [Partial<TransformInput>, string])[] = [
      [{ document: '<rdf:RDF/>' }, 'not-rdf'],
      [{ document: '<a/>', mimetype: 'application/xml' }, 'not-rdf'],
      [{ document: 'nonsense' }, 'not-rdf'],
      [{ document: '{"a":' }, 'not-json'],
      [{ document: '{}' }, 'no-aggregation'],
      [{ document: JSON.stringify([one, one]) }, 'no-aggregation'],
    ];
    for (const [input, kind] of cases) assert.throws(() => indexed(input), { kind }, input.document);
  });

  describe('(into Elasticsearch)', () => {
    const elasticsearch = useElasticsearch();
    const index = `${uniquePrefix()}-items`;
    let created = false;
    after(async () => {
      if (created) await ask('DELETE', `/${index}`);
    });

    it('makes documents that Elasticsearch takes without change, and finds', async () => {
      created = true;
      // As any index of it: what one record has as a year, another has as words.
      const settings = { settings: { number_of_replicas: 0 }, mappings: { date_detection: false } };
      await ask('PUT', `/${index}`, JSON.stringify(settings));
      const documents = [
        JSON.stringify(JSON_LD),
        TURTLE,
        JSON.stringify({ 'edm:aggregatedCHO': { 'dc:date': '1899-02-03' } }),
      ];
      const lines = documents.map((document, at) => {
        const made = map31.transform({ id: `r${at}`, document }, CONTEXT) as { id: string; document: string };
        return `${JSON.stringify({ index: { _id: made.id } })}\n${made.document}\n`;
      });

      const { errors, items } = await ask('POST', `/${index}/_bulk?refresh=true`, lines.join(''));
      const found = await ask('GET', `/${index}/_search?q=sourceResource.subject.name:cities`);

      assert.equal(errors, false, JSON.stringify(items));
      assert.equal(found.hits.total.value, 2);
    });

    async function ask(method: string, path: string, body?: string) {
      const headers = { 'content-type': path.includes('_bulk') ? 'application/x-ndjson' : 'application/json' };
      const response = await fetch(elasticsearch.url + path, { method, headers, ...(body !== undefined && { body }) });
      assert.ok(response.ok, `${response.status} ${path}`);
      return response.json();
    }
  });
});

function indexed(input: Partial<TransformInput>) {
  const made = map31.transform({ id: 'a', document: '', ...input }, CONTEXT) as { document: string };
  return JSON.parse(made.document);
}
