import { parsedJson } from '../../lib/parsed-json.ts';
import type { DcElement, DcValues } from '../../records/dublin-core.ts';
import { map31 } from '../../records/transforms/map-3-1.ts';
import { TransformError } from '../../records/transforms/transform.ts';

type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json };

/** The fields of a `sourceResource` of MAP 3.1, by the elements of Dublin Core. */
const FIELDS: Readonly<Record<string, DcElement>> = {
  title: 'title',
  creator: 'creator',
  contributor: 'contributor',
  subject: 'subject',
  description: 'description',
  publisher: 'publisher',
  date: 'date',
  type: 'type',
  format: 'format',
  extent: 'format',
  identifier: 'identifier',
  language: 'language',
  relation: 'relation',
  collection: 'relation',
  spatial: 'coverage',
  temporal: 'coverage',
  rights: 'rights',
};
/** The members of a value that people read, the best one first. */
const LABELS = ['displayDate', 'name', 'title', 'prefLabel', 'label', '@value', 'begin', '@id'];

/** The record of a provider as Dublin Core: MAP 3.1 as JSON, or MAP 4.0 as JSON-LD or Turtle; empty for others. */
export function mapDublinCore(id: string, document: string): DcValues {
  const json = parsedJson(document) as Json | undefined;
  const found = isObject(json) && 'sourceResource' in json ? json : asMap31(id, document);
  if (!isObject(found)) return [];
  const { sourceResource, isShownAt, '@id': iri } = found;
  const values: [DcElement, string][] = [];
  for (const [name, value] of Object.entries(isObject(sourceResource) ? sourceResource : {})) {
    const element = FIELDS[name];
    if (element !== undefined) for (const text of textsOf(value)) values.push([element, text]);
  }
  for (const text of [...textsOf(isShownAt), ...textsOf(iri)]) values.push(['identifier', text]);
  return values;
}

function asMap31(id: string, document: string): Json | undefined {
  try {
    const result = map31.transform({ id, document }, { provider: '', activity: 'mapping', generator: '' });
    return parsedJson((result as { readonly document: string }).document) as Json | undefined;
  } catch (error) {
    if (error instanceof TransformError) return undefined;
    throw error;
  }
}

function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isObject(value)) return [];
  const label = LABELS.find((name) => value[name] !== undefined);
  return label === undefined ? [] : textsOf(value[label]);
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
