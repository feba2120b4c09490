import type { FirstElement } from '../../first-element.ts';

const MARCXML = 'http://www.loc.gov/MARC21/slim';
const ROOTS = ['collection', 'record'];

/** Why XML is not MARCXML, by its first element: a sentence without a full stop. Undefined when it is. */
export function marcXmlProblem({ uri, local }: FirstElement): string | undefined {
  if (ROOTS.includes(local)) {
    if (uri === MARCXML) return undefined;
    const instead = uri === '' ? 'without a namespace' : `of the namespace ${uri}`;
    return `its first element is <${local}> ${instead}: MARCXML has xmlns="${MARCXML}"`;
  }
  return `its first element is <${local}>: MARCXML has <collection> or <record>, with xmlns="${MARCXML}"`;
}
