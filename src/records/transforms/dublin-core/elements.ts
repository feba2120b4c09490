import { schemeOfDate, schemeOfFormat, schemeOfLanguage, schemeOfType, schemeOfUri } from './schemes.ts';

/** An element of nsdl_dc. */
interface DublinCoreElement {
  /** With the prefix that we write: `dc` or `dct`. */
  readonly name: string;
  /** The element of oai_dc that it refines, or is; undefined when oai_dc has none for it. */
  readonly simple: string | undefined;
  /** The `xsi:type` of a value; undefined for a value that fits no encoding scheme. */
  readonly scheme?: ((value: string) => string | undefined) | undefined;
}

/**
 * The elements of nsdl_dc 1.02, in the order in which NSDL's own sheets for its version 1.02.020 write them. The
 * refinements are those of NSDL's sheet from nsdl_dc to oai_dc.
 */
export const ELEMENTS: readonly DublinCoreElement[] = [
  { name: 'dc:identifier', simple: 'identifier', scheme: schemeOfUri },
  { name: 'dc:title', simple: 'title' },
  { name: 'dct:alternative', simple: 'title' },
  { name: 'dct:abstract', simple: 'description' },
  { name: 'dc:description', simple: 'description' },
  { name: 'dc:subject', simple: 'subject' },
  { name: 'dct:tableOfContents', simple: 'description' },
  { name: 'dct:bibliographicCitation', simple: 'identifier' },
  { name: 'dc:language', simple: 'language', scheme: schemeOfLanguage },
  { name: 'dct:educationLevel', simple: undefined },
  { name: 'dct:audience', simple: undefined },
  { name: 'dct:mediator', simple: undefined },
  { name: 'dc:type', simple: 'type', scheme: schemeOfType },
  { name: 'dct:accessibility', simple: undefined },
  { name: 'dct:instructionalMethod', simple: undefined },
  { name: 'dct:conformsTo', simple: 'relation', scheme: schemeOfUri },
  { name: 'dc:creator', simple: 'creator' },
  { name: 'dc:publisher', simple: 'publisher' },
  { name: 'dc:contributor', simple: 'contributor' },
  { name: 'dc:rights', simple: 'rights' },
  { name: 'dct:rightsHolder', simple: undefined },
  { name: 'dct:license', simple: 'rights', scheme: schemeOfUri },
  { name: 'dct:accessRights', simple: 'rights' },
  { name: 'dct:provenance', simple: undefined },
  { name: 'dct:accrualMethod', simple: undefined },
  { name: 'dct:accrualPeriodicity', simple: undefined },
  { name: 'dct:accrualPolicy', simple: undefined },
  { name: 'dc:source', simple: 'source', scheme: schemeOfUri },
  { name: 'dct:hasVersion', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:isPartOf', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:hasPart', simple: 'relation', scheme: schemeOfUri },
  { name: 'dc:relation', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:isReferencedBy', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:references', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:isFormatOf', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:hasFormat', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:isReplacedBy', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:replaces', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:isRequiredBy', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:requires', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:isVersionOf', simple: 'relation', scheme: schemeOfUri },
  { name: 'dct:extent', simple: 'format' },
  { name: 'dct:medium', simple: 'format' },
  { name: 'dc:format', simple: 'format', scheme: schemeOfFormat },
  { name: 'dc:date', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:created', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:available', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:issued', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:modified', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:valid', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:dateAccepted', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:dateCopyrighted', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:dateSubmitted', simple: 'date', scheme: schemeOfDate },
  { name: 'dct:temporal', simple: 'coverage' },
  { name: 'dct:spatial', simple: 'coverage' },
  { name: 'dc:coverage', simple: 'coverage' },
];

/** The position of an element in `ELEMENTS`, by its name. */
export const POSITIONS: ReadonlyMap<string, number> = new Map(ELEMENTS.map(({ name }, at) => [name, at]));
