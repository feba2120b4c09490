import type { Outage } from '../../client/mirror/mirror-options.ts';
import type { MirrorSettings } from '../mirror-settings.ts';
import type { MirrorThread } from './mirror-thread.ts';

interface FollowedMirror {
  readonly settings: MirrorSettings;
  readonly signal: AbortSignal;
  /** Called when a pass fails. */
  readonly onFailure: (problem: string) => void;
}

/**
 * Keeps a copy in sync until the signal aborts: by the source's stream of changes, otherwise by polling. Never rejects.
 */
export async function followMirror(
  mirror: MirrorThread,
  { settings, signal, onFailure }: FollowedMirror,
): Promise<void> {
  try {
    const { follow } = await import('../../client/mirror/follow.ts');
    const { openRequests } = await import('../../client/mirror/source/open-requests.ts');
    const { intervalMs } = settings;
    const requests = await openRequests({ ...settings, connections: 1, rate: Number.POSITIVE_INFINITY });
    try {
      const onOutage = (outage: Outage | undefined) => outage !== undefined && onFailure(outage.reason);
      const { eventReader } = requests;
      await follow(mirror, { eventReader, signal, intervalMs, onPass: async () => {}, onOutage });
    } finally {
      requests.close();
    }
  } catch (error) {
    if (!signal.aborted) onFailure(error instanceof Error ? error.message : String(error));
  }
}
