import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import type { Configuration, RequestLimits } from '../../src/config/configuration.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/server/server.ts';
import { Packer } from '../../src/publish/dumps/packer.ts';
import type { StoreKind } from './each-store.ts';
import { findFreePort } from './free-port.ts';

export interface StartedApp {
  readonly app: App;
  readonly server: RunningServer;
  /** Where it listens, which is its base URL unless the test chose another. */
  readonly url: string;
  /** A temporary folder that goes when the test ends. */
  readonly folder: string;
}

export const NO_LIMITS: RequestLimits = {
  tokenRequests: Number.POSITIVE_INFINITY,
  tokenBody: Number.POSITIVE_INFINITY,
  anonymousRequests: Number.POSITIVE_INFINITY,
};

const started: { readonly folder: string; close(): Promise<void> }[] = [];

/**
 * A real app on a free port, with a store and a temporary folder of its own. Close it with `closeApps` in `afterEach`.
 * @param options those of the server, and whether dumps are packed as by a command that does nothing else
 */
export async function startApp(
  kind: StoreKind,
  settings: Partial<Configuration> = {},
  { packsAlone = false, ...options }: Partial<ServerOptions> & { readonly packsAlone?: boolean } = {},
): Promise<StartedApp> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  const { location, dispose } = kind.place(folder, { mayBeMade: true });
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true }), dispose];
  started.push({
    folder,
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
    },
  });
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const configuration = testConfiguration(folder, { store: location, baseUrl, port, ...settings });
  const app = await openApp(configuration, packsAlone ? { packer: new Packer(configuration, { isAlone: true }) } : {});
  closers.push(() => app.close());
  await app.sets.useBaseUrl(configuration.baseUrl, true);
  const server = await startServer(app, { host: configuration.host, port, ...options });
  closers.push(() => server.close());
  return { app, server, url: server.url, folder };
}

/** Closes what `startApp` opened, last opened first. */
export async function closeApps(): Promise<void> {
  for (const { close } of started.splice(0).reverse()) await close();
}

/** The defaults, apart from these settings, and what tests need: no limits, and no log. */
export function testConfiguration(folder: string, settings: Partial<Configuration>): Configuration {
  const { configuration } = loadConfiguration({ flags: { data: folder }, environment: {}, workingDirectory: folder });
  return {
    ...configuration,
    ...NO_LIMITS,
    baseUrl: 'http://127.0.0.1:8080',
    port: 0,
    verifyArtifactsRate: Number.POSITIVE_INFINITY,
    cacheBytes: 100_000_000,
    accessLog: false,
    logFormat: 'json',
    logLevel: 'silent',
    ...settings,
  };
}

/** A folder inside the app's, for the files of a set. */
export async function makeFolder({ folder }: StartedApp, name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  return path;
}
