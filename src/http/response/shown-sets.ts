import { may } from '../../access/may.ts';
import type { Principal } from '../../access/principal.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { type RoutedResponse, senderOf } from '../request/admitted.ts';
import { makePrivate } from './caching.ts';

interface Parts {
  readonly sets: Pick<SetRegistry, 'list'>;
}

/** The sets that the sender may read, ascending by slug. A response that names a private one is only for its sender. */
export async function shownSets({ sets }: Parts, response: RoutedResponse): Promise<readonly ResourceSet[]> {
  const { shown, isPrivate } = await setsShownTo({ sets }, senderOf(response));
  if (isPrivate) makePrivate(response);
  return shown;
}

/** The same, and whether the response is only for its sender. */
export async function setsShownTo({ sets }: Parts, sender: Principal) {
  const shown = (await sets.list()).filter((set) => may(sender, 'read-state', set));
  return { shown, isPrivate: shown.some((set) => set.private === true) };
}
