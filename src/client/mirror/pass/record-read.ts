import type { ChangesRead } from '../lists/read-changes.ts';
import type { PassReport } from '../mirror-options.ts';
import { setCursor } from '../state/cursor.ts';
import { type MirrorState, MOST_FAILURES } from '../state/mirror-state.ts';
import type { WantedTable } from '../state/wanted-table.ts';

/** What was read of the source, to be recorded once all of it is applied. */
export interface WantedRead {
  readonly compared: PassReport['compared'];
  /** The Resource List, if it was read. */
  readonly list: ComparedList | undefined;
  /** Undefined when there are none, or they have not changed. */
  readonly changes: ChangesRead | undefined;
  /** The URI of the Change List, if the source has one. */
  readonly changeList: string | undefined;
}

interface ComparedList {
  readonly uri: string;
  /** Microseconds since 1970, as of which the list is complete; undefined when it does not state it. */
  readonly at: number | undefined;
  /** The number of its resources. */
  readonly listed: number;
}

/** Records what a pass has read, and up to where. All of it must be applied before. */
export function recordRead({ list, changes, changeList }: WantedRead, state: MirrorState, wanted: WantedTable): void {
  if (list !== undefined) recordList(list, state, wanted);
  if (changes !== undefined) recordChanges(changes, changeList, state);
}

function recordList({ uri, at }: ComparedList, state: MirrorState, wanted: WantedTable): void {
  // Not before all is applied: after a pass that was stopped, only its failure leads to a resource.
  for (const failed of state.failures(MOST_FAILURES)) {
    if (wanted.get(failed.uri) === undefined) state.clearFailure(failed.uri);
  }
  state.setFact('listRead', { uri, at, time: Date.now() });
  setCursor(state, at === undefined ? undefined : { time: at, seen: [] });
}

function recordChanges(
  { cursor, hasRanges, validator }: ChangesRead,
  changeList: string | undefined,
  state: MirrorState,
): void {
  setCursor(state, cursor);
  if (hasRanges !== undefined) state.setFact('hasRanges', hasRanges);
  state.setFact('changeListRead', validator === undefined ? undefined : { uri: changeList!, validator });
}
