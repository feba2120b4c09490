import { hash } from 'node:crypto';
import type { ResourceKey } from '../core/key.ts';
import type { SetId } from '../core/resource-set.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import type { NsdlFolders } from './folders.ts';

/** A collection, as far as the handles of its records depend on it. */
interface HandleOwner {
  readonly provider: string;
  /** The id of the collection, which is that of its stream. */
  readonly id: string;
}

const HANDLE_DIGITS = 40;

/**
 * The handle of a record: the same for each harvest, and for no other record. It depends on the stream and on the key,
 * which depends on the OAI identifier alone (core/record-key.ts).
 */
function handleOf({ provider, id }: HandleOwner, key: ResourceKey): string {
  return hash('sha256', `${provider}/${id}${key}`, 'hex').slice(0, HANDLE_DIGITS);
}

/** A line of a file of handles. */
export function handleLine(owner: HandleOwner, key: ResourceKey): string {
  return `${handleOf(owner, key)} ${key}\n`;
}

interface HandleFiles {
  readonly folders: NsdlFolders;
  readonly index: Pick<ResourceStates, 'read'>;
}

/** Saves the handles of all records of a set as `UUID.hdls`, unless that was done for this harvest. */
export async function saveHandles(
  { folders, index }: HandleFiles,
  owner: HandleOwner,
  { uuid, set }: { readonly uuid: string; readonly set: SetId },
): Promise<void> {
  const name = `${uuid}.hdls`;
  if (!(await folders.has('handles', name))) await folders.write('handles', name, linesOf(index, owner, set));
}

async function* linesOf(index: HandleFiles['index'], owner: HandleOwner, set: SetId): AsyncGenerator<string> {
  for await (const batch of index.read(set, {})) yield batch.map(({ key }) => handleLine(owner, key)).join('');
}
