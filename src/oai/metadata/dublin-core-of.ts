import { DC_ELEMENTS, type DcValues, writeOaiDc } from '../../records/dublin-core.ts';
import { ELEMENTS } from '../../records/transforms/dublin-core/elements.ts';
import { readDublinCore } from '../../records/transforms/dublin-core/read-dublin-core.ts';
import { TransformError } from '../../records/transforms/transform.ts';

/** By the names that `readDublinCore` returns: the element of oai_dc that one refines, or is. */
const SIMPLE = new Map(ELEMENTS.map(({ name, simple }) => [name, DC_ELEMENTS.find((element) => element === simple)]));

/** The elements of Dublin Core below the root of a document; none of what is not XML. */
export function dublinCoreIn(xml: string): DcValues {
  try {
    return readDublinCore(xml).values.flatMap(({ name, text }) => {
      const element = SIMPLE.get(name);
      return element === undefined ? [] : [[element, text] as const];
    });
  } catch (error) {
    if (error instanceof TransformError) return [];
    throw error;
  }
}

/** Writes oai_dc that has a title and an identifier in any case: each record has this format. */
export function writeAsOaiDc(id: string, values: DcValues): string {
  const missing = (['title', 'identifier'] as const).filter((name) => !values.some(([element]) => element === name));
  return writeOaiDc([...values, ...missing.map((element) => [element, id] as const)]);
}
