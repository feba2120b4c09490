import { once } from 'node:events';
import type { Logger } from 'pino';
import { accessPolicy } from '../access/access-policy.ts';
import type { App } from '../app.ts';
import { type LoadedConfiguration, localBaseUrl } from '../config/load-configuration.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { isOpenToAll } from '../lib/make-folder.ts';
import { createAccessLog, createLogger } from '../observe/logs/logger.ts';
import type { SyncEvents } from '../sources/sync/sync-loop.ts';
import { growWhenBusy } from './busy-heap.ts';
import { cleanNightly } from './clean-nightly.ts';
import type { Call } from './cli-command.ts';
import { freePort } from './free-port.ts';
import { runDeliveries } from './run-deliveries.ts';
import { type RunningJobs, runJobs } from './run-jobs.ts';
import { keptPort, settleBaseUrl } from './settle-base-url.ts';
import { requireSharedPort } from './shared-port.ts';
import { SyncLoops } from './sync-loops.ts';
import { isNewStore, withApp } from './with-app.ts';

/** What differs between the two commands that serve. */
export interface SourceHooks {
  /** Whether a new history may begin when the base URL changes. */
  readonly confirmed: boolean;
  /** Called first. Throws when the source must not be served. */
  check?(app: App): Promise<void>;
  /** Called before anything is served, when the base URL is known. */
  prepare?(app: App): Promise<void>;
  /** Receives the sync events of a set. */
  eventsOf(set: ResourceSet): SyncEvents;
  /**
   * Called when the source is served and watched. Runs until it is done or `stopped`; what it throws ends the source.
   */
  running(source: Source): Promise<void>;
}

export interface Source {
  readonly app: App;
  readonly baseUrl: string;
  readonly loops: SyncLoops;
}

/**
 * Serves all sets and keeps them in sync with their sources, until a signal stops it. Checks everything before it makes
 * or changes any set.
 */
export async function serveSource(call: Pick<Call, 'loaded' | 'stopped'>, hooks: SourceHooks): Promise<void> {
  const { host: address } = call.loaded.configuration;
  // Checked before a store is created that would not be served.
  if (await isNewStore(call.loaded.configuration)) accessPolicy(call.loaded.configuration, address);
  await withApp(call, async (app) => {
    accessPolicy(call.loaded.configuration, address, await app.tokens.countValid());
    await hooks.check?.(app);
    const loaded = await withFreePort(app, call.loaded);
    const baseUrl = await settleBaseUrl(app, loaded, { serves: true, confirmed: hooks.confirmed });
    await app.sets.finishMoves();
    await hooks.prepare?.(app);
    const configuration = { ...loaded.configuration, baseUrl };
    const { host, port, logLevel } = configuration;
    const accessLog = configuration.accessLog ? createAccessLog(logLevel) : undefined;
    const logger = createLogger(logLevel);
    warnOfOpenFolder(configuration.dataFolder, logger);
    const { startServer } = await import('../http/server/server.ts');
    const served = { ...app, configuration };
    await app.sets.markServed();
    const server = await startServer(served, { host, port, logger, accessLog: accessLog?.logger });
    const ending = new AbortController();
    void growWhenBusy(() => app.metrics.http.answered, ending.signal);
    void cleanNightly(app, logger, ending.signal);
    const loops = new SyncLoops(app, (set) => app.metrics.scans.around(set, hooks.eventsOf(set)));
    let running: Promise<void> | undefined;
    let jobs: RunningJobs | undefined;
    let deliveries: RunningJobs | undefined;
    try {
      if (configuration.sources) await loops.start();
      if (configuration.jobs.run) jobs = runJobs(app, logger);
      if (configuration.jobs.run) deliveries = runDeliveries(app, logger);
      running = hooks.running({ app, baseUrl, loops });
      await untilStopped(running, call.stopped);
    } finally {
      ending.abort();
      await Promise.all([server.closeInTime(), loops.stop(), jobs?.stop(), deliveries?.stop()]);
      // What the close waits for has ended now.
      await running?.catch(() => {});
      accessLog?.close();
    }
  });
}

/** A data folder made by this version is readable by its owner only. */
function warnOfOpenFolder(folder: string, logger: Logger): void {
  if (!isOpenToAll(folder)) return;
  logger.warn(
    { folder },
    `every account of this machine may read the data folder ${folder}: run "chmod 700 ${folder}"`,
  );
}

async function withFreePort(app: App, loaded: LoadedConfiguration): Promise<LoadedConfiguration> {
  const { configuration, given } = loaded;
  const isPortGiven = given.has('port') || given.has('baseUrl');
  const wanted = isPortGiven ? configuration.port : ((await keptPort(app)) ?? configuration.port);
  const isShared = configuration.sharePort && wanted !== 0;
  if (isShared) await requireSharedPort({ ...configuration, port: wanted });
  const port = isShared ? wanted : await freePort(configuration.host, wanted);
  const baseUrl = given.has('baseUrl') ? configuration.baseUrl : localBaseUrl(port);
  return { ...loaded, configuration: { ...configuration, port, baseUrl } };
}

/** Resolves at the signal, even if `running` has not ended then. @throws what `running` throws before */
async function untilStopped(running: Promise<void>, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  const atSignal = once(stopped, 'abort');
  await Promise.race([running.then(() => atSignal), atSignal]);
}
