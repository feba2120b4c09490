import { storeStatus } from '../../api/live-status.ts';
import type { App } from '../../app.ts';
import { type Configuration, describeStore } from '../../config/configuration.ts';
import { VERSION } from '../../config/version.ts';
import { askServer } from '../ask-server.ts';
import { viewSets } from '../set-view.ts';
import { keptBaseUrl } from '../settle-base-url.ts';

export type StatusView = Awaited<ReturnType<typeof viewStatus>>;

export async function viewStatus(app: App, configuration: Configuration) {
  const baseUrl = await keptBaseUrl(app);
  const [sets, server, problem] = await Promise.all([
    viewSets(app),
    askServer(configuration, baseUrl),
    app.artifactHealth.problem(),
    app.publishing.cacheScan,
  ]);
  const { store, cache } = await app.metrics.readSource();
  return {
    version: VERSION,
    baseUrl,
    store: describeStore(configuration.store),
    artifacts: { store: app.artifacts.name, ...(problem !== undefined && { problem }) },
    dataFolder: configuration.dataFolder,
    /** Whether the first scan, or the import, of every set is complete. */
    ready: sets.every(({ ready }) => ready),
    /** The sums over all sets, and the position of the log; null when the store stopped answering meanwhile. */
    log: store === undefined ? null : storeStatus(store),
    documents: { kept: cache.documents, bytes: cache.bytes },
    server,
    sets: sets.map(({ set, resources, changes, lastChange, ready, trouble }) => ({
      set,
      resources,
      changes,
      lastChange,
      ready,
      ...(trouble && { trouble }),
    })),
  };
}
