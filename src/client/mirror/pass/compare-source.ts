import type { Reader } from '../../read/source-reader.ts';
import { type ChangesRead, readChanges } from '../lists/read-changes.ts';
import { DocumentFailure } from '../lists/read-entries.ts';
import { ChangesMissing } from '../lists/take-changes.ts';
import type { MirroredSet } from '../source/find-set.ts';
import type { MirrorState } from '../state/mirror-state.ts';
import { WantedTable } from '../state/wanted-table.ts';
import { askForResources } from './ask-for-resources.ts';
import { type Compared, compareWithList } from './compare-list.ts';

interface CompareParts {
  readonly set: MirroredSet;
  readonly reader: Reader;
  readonly state: MirrorState;
  /** A folder of this process alone. */
  readonly own: string;
  readonly wanted: WantedTable;
  /** Number of resources that are asked for concurrently. */
  readonly connections: number;
  readonly onListed: (listed: number) => void;
  readonly onNotice: (text: string, kind?: string) => void;
}

interface ComparedSource extends Compared {
  /** Undefined when there are none, or the cursor after them is not known. */
  readonly changes: ChangesRead | undefined;
}

/**
 * Compares the copy with a source: with the Resource List, and the changes after it. It changes nothing in the copy.
 * @throws DocumentFailure when a list could not be read completely
 */
export async function compareWithSource(parts: CompareParts): Promise<ComparedSource> {
  const { set, reader, state, wanted, own } = parts;
  if (set.resourceLists.length === 0) {
    throw new DocumentFailure(set.uri, 'it names no Resource List, with which the copy could be compared');
  }
  const compared = await compareWithList(reader, set.resourceLists, { state, wanted }, parts.onListed);
  const { at, ignored } = compared;
  if (ignored > 0)
    parts.onNotice(
      `${ignored === 1 ? 'an entry' : `${ignored} entries`} of ${set.resourceLists[0]} without a location: ignored`,
      'ignored',
    );
  if (set.changeList === undefined) return { ...compared, changes: undefined };
  if (at === undefined) {
    parts.onNotice(`${set.resourceLists[0]} does not say as of when it is ("at"): the Change List is not used`);
    return { ...compared, changes: undefined };
  }
  const unsure = new WantedTable(own);
  try {
    const changes = await changesAfter({ at, completed: compared.completed ?? at }, unsure, parts);
    await askForResources(unsure, parts);
    return { ...compared, changes };
  } finally {
    unsure.close();
  }
}

async function changesAfter(
  { at, completed }: { readonly at: number; readonly completed: number },
  unsure: WantedTable,
  { set, reader, wanted }: CompareParts,
): Promise<ChangesRead | undefined> {
  try {
    return await readChanges(reader, set.changeList!, {
      cursor: { time: at, seen: [] },
      listCompleted: completed,
      // Asking again costs little beside a comparison.
      hasRanges: undefined,
      validator: undefined,
      listener: {
        onChange: (change, order) => wanted.put(change, order),
        onUnsure: (change) => unsure.put(change),
      },
    });
  } catch (error) {
    // The Resource List and these changes contain everything that is known.
    if (error instanceof ChangesMissing) return undefined;
    throw error;
  }
}
