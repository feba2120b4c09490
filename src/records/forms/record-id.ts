import { excerpt } from '../../lib/excerpt.ts';

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/;

/**
 * Why a text that is not empty cannot be the id of a record: a sentence without a full stop. Undefined when it can. An
 * id with a line break would be two ids in a list of ids, one a line, and other records would be deleted.
 */
export function recordIdProblem(id: string): string | undefined {
  return CONTROLS.test(id) ? `an id has no control characters: ${excerpt(id)}` : undefined;
}
