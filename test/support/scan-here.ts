import type { App } from '../../src/app.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';

/** For `startApp`: nothing sends heartbeats, as the loops of a server do. */
export const WITHOUT_HEARTBEATS = { jobLeaseMs: 3_600_000 };

/** Makes an app the one that scans a set, as a server is that keeps it in sync. */
export async function scanHere({ scanners }: App, set: ResourceSet): Promise<void> {
  if (!scanners.lease.isMember) await scanners.lease.join();
  scanners.grant(set);
}
