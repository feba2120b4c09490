import { administers } from '../../access/may.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { LiveFigures } from '../../observe/metrics/live-server.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { type RoutedResponse, senderOf } from '../request/admitted.ts';
import { shownSets } from './shown-sets.ts';

const STORE_TIMEOUT_MS = 2_000;

interface Parts {
  readonly metrics: { readonly live: { figures(): Promise<LiveFigures> } };
  readonly sets: Pick<SetRegistry, 'list'>;
}

/**
 * The figures of the server, which cover all sets, with the names of only those sets that the sender may read: none
 * while the store cannot be read for these.
 */
export async function shownFigures({ metrics, sets }: Parts, response: RoutedResponse): Promise<LiveFigures> {
  const figures = await metrics.live.figures();
  if (figures.scanning.length === 0 || administers(senderOf(response))) return figures;
  const shown = await withTimeout(shownSets({ sets }, response), STORE_TIMEOUT_MS, () => []).catch(() => []);
  const slugs = new Set(shown.map(({ slug }) => slug));
  return { ...figures, scanning: figures.scanning.filter(({ set }) => slugs.has(set)) };
}
