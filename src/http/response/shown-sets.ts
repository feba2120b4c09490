import { may } from '../../access/may.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { type RoutedResponse, senderOf } from '../request/admitted.ts';
import { makePrivate } from './caching.ts';

/**
 * The sets that the sender may read, ascending by slug. An answer that names a private one is for its sender alone.
 */
export async function shownSets(
  { sets }: { readonly sets: Pick<SetRegistry, 'list'> },
  response: RoutedResponse,
): Promise<readonly ResourceSet[]> {
  const sender = senderOf(response);
  const shown = (await sets.list()).filter((set) => may(sender, 'read-state', set));
  if (shown.some((set) => set.private === true)) makePrivate(response);
  return shown;
}
