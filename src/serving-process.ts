import { SenderLimits } from './access/sender-limits.ts';
import { type App, openApp } from './app.ts';
import { type RunningServer, startServer } from './http/server/server.ts';
import { type AccessLog, createAccessLog, createLogger } from './observe/logs/logger.ts';
import { type AskedOfFirst, type AskedOfFurther, type Assignment, assigned } from './processes/messages.ts';
import { ProcessChannel } from './processes/process-channel.ts';
import { SharedLimits } from './processes/shared-limits.ts';
import { keepCompiled, limitHeaps } from './runtime-settings.ts';

interface Serving {
  readonly app: App;
  readonly server: RunningServer;
  readonly limits: SenderLimits;
  readonly accessLog: AccessLog | undefined;
}

/**
 * A further process of a server, which processes/further-processes.ts starts: it answers requests on the port of the first one until the
 * channel to that is closed, because the server stops, or because the first one is no more.
 */
keepCompiled();
limitHeaps();
// A terminal, and systemd, send signals to all processes. The first one tells the others when to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});

let serving: Promise<Serving> | undefined;

const first = new ProcessChannel<AskedOfFirst, AskedOfFurther>(process, {
  async serve(assignment) {
    serving = serve(assignment);
    await serving;
  },
  figures: async () => (await serving!).app.metrics.own(),
  async taken(all) {
    const { limits } = await serving!;
    for (const taken of all) limits.note(taken);
  },
});

process.once('disconnect', async () => {
  // What could not be started has told so.
  const running = await serving?.catch(() => undefined);
  if (running !== undefined) await close(running);
  process.exit();
});

async function serve(assignment: Assignment): Promise<Serving> {
  const configuration = assigned(assignment);
  const { host, port, logLevel } = configuration;
  const app = await openApp(configuration);
  const shared = new SharedLimits((taken) => first.ask('taken', taken).catch(() => {}));
  const limits = new SenderLimits(configuration.limits, { onTaken: (taken) => shared.note(taken) });
  app.metrics.join(assignment.number, () => first.ask('figures-of-others', undefined));
  const accessLog = configuration.accessLog ? createAccessLog(logLevel, true) : undefined;
  try {
    const served = { ...app, scanPaths: (set, paths) => first.ask('scan-paths', { set, paths }) } satisfies App;
    const logger = createLogger(logLevel);
    const server = await startServer(served, {
      ...{ host, port, logger, limits },
      accessLog: accessLog?.logger,
      sharing: 'further',
    });
    return { app, server, limits, accessLog };
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function close({ app, server, accessLog }: Serving): Promise<void> {
  await server.closeInTime();
  accessLog?.close();
  await app.close();
}
