import { recordIdProblem } from '../record-id.ts';
import { visible } from './faults/readable-text.ts';
import { UnusableRecord } from './faults/unusable-record.ts';

const NO_ID = 'the record has no field 001: expected its id there';
const EMPTY_ID = 'field 001 is empty: expected the id of the record';

/** Whether a text can be the id of a record. */
export const isMarcId = (id: string): boolean => id !== '' && recordIdProblem(id) === undefined;

/** Why a text cannot be the id of a record; undefined when it can. @param hasField whether there is a field 001 */
export function marcIdFault(id: string, hasField: () => boolean): UnusableRecord | undefined {
  if (id === '') return idMissing(hasField());
  const problem = recordIdProblem(id);
  if (problem === undefined) return undefined;
  const fault = { kind: 'bad-id', field: '001', occurrence: 1, fault: visible(id.slice(0, 50)) } as const;
  return new UnusableRecord(problem, fault);
}

function idMissing(hasField: boolean): UnusableRecord {
  if (!hasField) return new UnusableRecord(NO_ID, { kind: 'no-001', field: '001' });
  return new UnusableRecord(EMPTY_ID, { kind: 'empty-001', field: '001', occurrence: 1 });
}
