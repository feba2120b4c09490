import { recordIdProblem } from '../record-id.ts';

/** Why a text cannot be the id of a record: a sentence without a full stop. Undefined when it can. */
export function marcIdProblem(id: string): string | undefined {
  return id === '' ? 'the record has no field 001, or an empty one: expected its id there' : recordIdProblem(id);
}
