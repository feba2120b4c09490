import { TransformError } from '../transform.ts';
import { POSITIONS } from './elements.ts';
import { type DublinCoreValue, normalizedSpace } from './values.ts';

/**
 * The values in the JSON of a mapping whose fields are named like the elements of nsdl_dc, such as `dc:title`.
 * @throws TransformError `fields` for another field, and for a value that is no text
 */
export function valuesOfFields(json: string): readonly DublinCoreValue[] {
  return Object.entries(JSON.parse(json)).flatMap(([name, value]) => {
    if (!POSITIONS.has(name)) {
      throw new TransformError('fields', `the mapping has the field "${name}", which nsdl_dc does not have`);
    }
    return [value].flat().map((item) => ({ name, text: normalizedSpace(textOf(item, name)) }));
  });
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  // The value of a rule with `iri`.
  const iri = value !== null && typeof value === 'object' && '@id' in value ? value['@id'] : undefined;
  if (typeof iri === 'string') return iri;
  throw new TransformError('fields', `the mapping makes no text for ${name}`);
}
