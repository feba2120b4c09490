import { once } from 'node:events';
import type { Logger } from 'pino';
import { accessPolicy } from '../../access/access-policy.ts';
import type { App } from '../../app.ts';
import { type LoadedConfiguration, localBaseUrl } from '../../config/load-configuration.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { isOpenToAll } from '../../lib/files/make-folder.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import type { Call } from '../cli-command.ts';
import { settleBaseUrl } from '../settle-base-url.ts';
import { isNewStore, withApp } from '../with-app.ts';
import { choosePort } from './choose-port.ts';
import { cleanNightly } from './clean-nightly.ts';
import { freePort } from './free-port.ts';
import { runDeliveries } from './run-deliveries.ts';
import { type RunningJobs, runJobs } from './run-jobs.ts';
import { logStop, type ServerLogs } from './server-logs.ts';
import { SyncLoops, type SyncLoopsOptions } from './sync-loops.ts';
import { watchMove } from './watch-move.ts';

/** The differences between the two commands that serve. */
interface SourceHooks {
  /** Whether a new history may start when the base URL changes. */
  readonly confirmed: boolean;
  /** Called first. Throws when the source must not be served. */
  check?(app: App): Promise<void>;
  /** Called before anything is served, when the base URL is known. */
  prepare?(app: App): Promise<void>;
  /** Sets that this process scans itself, although there are other servers. */
  wants?(): readonly SetId[];
  /** Receives the sync events of a set. */
  eventsOf(set: ResourceSet): SyncEvents;
  /** Called when the source is served and watched. Runs until it is done or `stopped`; its error ends the source. */
  running(source: Source): Promise<void>;
}

export interface Source {
  readonly app: App;
  readonly baseUrl: string;
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  readonly loops: SyncLoops;
}

/**
 * Serves all sets and keeps them in sync with their sources, until a signal stops it. Checks everything before it makes
 * or changes any set.
 */
export async function serveSource(
  call: Pick<Call, 'loaded' | 'stopped'>,
  logs: ServerLogs,
  hooks: SourceHooks,
): Promise<void> {
  const { host: address, port: wanted, sharePort } = call.loaded.configuration;
  // Checked before a store is created that would not be served.
  if (await isNewStore(call.loaded.configuration)) {
    accessPolicy(call.loaded.configuration, address);
    if (!sharePort) await freePort(address, wanted);
  }
  // Without the terminal: people wait for the answers of a server.
  await withApp({ loaded: call.loaded }, async (app) => {
    accessPolicy(call.loaded.configuration, address, await app.access.tokens.countValid());
    await hooks.check?.(app);
    const loaded = await withPort(app, call.loaded);
    const onMoved = (before: string) =>
      logs.logger.warn(
        { before },
        `the base URL was ${before}: histories of sets below it begin anew, without the lists and dumps made before`,
      );
    const baseUrl = await settleBaseUrl(app, loaded, { serves: true, confirmed: hooks.confirmed, onMoved });
    await app.sets.finishMoves();
    await hooks.prepare?.(app);
    const configuration = { ...loaded.configuration, baseUrl };
    const { host, port } = configuration;
    const { logger, accessLog } = logs;
    warnOfOpenFolder(configuration.dataFolder, logger);
    const { startServer } = await import('../../http/server/server.ts');
    const served = { ...app, configuration };
    await app.sets.markServed();
    const server = await startServer(served, { host, port, logger, accessLog: accessLog?.logger });
    // With years of uploads on Elasticsearch, this takes seconds. When it fails, the first request reads them.
    app.records.overview.prepare().catch(() => {});
    const ending = new AbortController();
    cleanNightly(app, logger, ending.signal).catch((error: unknown) =>
      logger.error({ err: error }, 'the data folder is not cleaned any more'),
    );
    const loops = new SyncLoops(app, {
      eventsOf: (set) => app.metrics.scans.around(set, hooks.eventsOf(set)),
      wants: hooks.wants?.(),
      ...logScanners(logger),
    });
    let running: Promise<void> | undefined;
    let jobs: RunningJobs | undefined;
    let deliveries: RunningJobs | undefined;
    const stopWork = () => Promise.all([loops.stop(), jobs?.stop(), deliveries?.stop()]);
    try {
      if (configuration.sources) await loops.start();
      if (configuration.runsJobs) jobs = runJobs(app, logger);
      if (configuration.runsJobs) deliveries = runDeliveries(app, logger);
      watchMove(app, ending.signal, async (moved) => {
        logger.error({ code: moved.code }, `${moved.message}, and restart this server: it only answers reads`);
        await stopWork();
      });
      running = hooks.running({ app, baseUrl, host, port, loops });
      // When it is stopped already, it is awaited only after all else has ended.
      running.catch(() => {});
      await untilStopped(running, call.stopped);
      logStop(logs, 'stopping');
    } finally {
      ending.abort();
      await Promise.all([server.closeInTime(), stopWork()]);
      // The work that the close waits for has ended now.
      await running?.catch(() => {});
      accessLog?.close();
    }
  });
  logStop(logs, 'stopped');
}

/** Logs which sets this server scans. */
function logScanners(logger: Logger): Omit<SyncLoopsOptions, 'eventsOf' | 'wants'> {
  return {
    onUnreadable: ({ slug }, { code, message }) =>
      logger.warn({ set: slug, code }, `${slug} is left to other servers, which may be able to read it: ${message}`),
    onProblem: ({ slug }, { path, problem }) => logger.warn({ set: slug, path }, `${path}: ${problem}`),
    onShare: (share) => logger.debug(`this server scans ${share} sets with sources`),
    onLost: () =>
      logger.warn('this server was silent for too long, and other servers scan its sets: it shares them again'),
  };
}

/** A data folder made by this version is readable by its owner only. */
function warnOfOpenFolder(folder: string, logger: Logger): void {
  if (!isOpenToAll(folder)) return;
  logger.warn(
    { folder },
    `every account of this machine may read the data folder ${folder}: run "chmod 700 ${folder}"`,
  );
}

async function withPort(app: App, loaded: LoadedConfiguration): Promise<LoadedConfiguration> {
  const { configuration, given } = loaded;
  const port = await choosePort(app, loaded);
  const baseUrl = given.has('baseUrl') ? configuration.baseUrl : localBaseUrl(port);
  return { ...loaded, configuration: { ...configuration, port, baseUrl } };
}

/** Resolves at the signal, even if `running` has not ended then. @throws an earlier error of `running` */
async function untilStopped(running: Promise<void>, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  const atSignal = once(stopped, 'abort');
  await Promise.race([running.then(() => atSignal), atSignal]);
}
