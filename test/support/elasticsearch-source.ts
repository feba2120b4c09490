import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { readNodes } from '../../src/config/elasticsearch-nodes.ts';
import { startServer } from '../../src/http/server/server.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { removeIndices, uniquePrefix } from './elasticsearch-indices.ts';
import { FaultProxy } from './fault-proxy.ts';
import { addSet, BASE_URL, fillPages, LIMITS_OF_PAGES, type Limits, type ServingProcess } from './fault-source.ts';
import { findFreePort } from './free-port.ts';
import { type FinishedRun, killTidemarks, runTidemark, startProcess } from './run-tidemark.ts';
import { testConfiguration } from './start-app.ts';

const SHIFTED_CLOCK = new URL('./shifted-clock.ts', import.meta.url).href;

export interface ProcessOptions {
  /** Stops or kills it; see src/lib/failpoint.ts. */
  readonly failpoint?: string;
  /** Milliseconds that its clock is ahead. */
  readonly clockOffset?: number;
  /** Where it finds the store, when not at the server itself: URLs with commas in between. */
  readonly storeUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a cluster with TLS and API keys needs; its test ends it, so nothing of a source is removed there. */
export interface ElasticsearchAccess {
  readonly caFile: string;
  /** Encoded. */
  readonly apiKey: string;
}

const sources = new Set<ElasticsearchSource>();

/**
 * One small set on an Elasticsearch, and real processes on it. The caller calls `closeElasticsearchSources` in
 * afterEach.
 */
export class ElasticsearchSource {
  readonly url: string;
  readonly prefix = uniquePrefix();
  readonly folder: string;
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #access: ElasticsearchAccess | undefined;
  #processes = 0;

  private constructor(url: string, folder: string, access: ElasticsearchAccess | undefined) {
    this.url = url;
    this.folder = folder;
    this.#access = access;
    this.#closers.push(() => rm(folder, { recursive: true, force: true }));
    if (access === undefined) this.#closers.push(() => removeIndices(url, this.prefix));
    sources.add(this);
  }

  /** Without any index. */
  static async makeEmpty(url: string, access?: ElasticsearchAccess): Promise<ElasticsearchSource> {
    return new ElasticsearchSource(url, await mkdtemp(join(tmpdir(), 'tidemark-')), access);
  }

  static async make(url: string, limits: Limits, access?: ElasticsearchAccess): Promise<ElasticsearchSource> {
    const source = await ElasticsearchSource.makeEmpty(url, access);
    await addSet(await source.open(), limits);
    return source;
  }

  /** One that has some full pages, so that a key in the middle splits one. */
  static async makeWithPages(url: string, access?: ElasticsearchAccess): Promise<ElasticsearchSource> {
    const source = await ElasticsearchSource.make(url, LIMITS_OF_PAGES, access);
    await fillPages(await source.open());
    return source;
  }

  location(...nodes: readonly string[]): ElasticsearchLocation {
    const servers = nodes.length > 0 ? { nodes } : readNodes(this.url);
    const access = this.#access && { caFile: this.#access.caFile, authorization: `ApiKey ${this.#access.apiKey}` };
    return { kind: 'elasticsearch', ...servers, ...access, prefix: this.prefix };
  }

  /** Opens it within this process. */
  async open(...nodes: readonly string[]): Promise<App> {
    const folder = this.#ownFolder();
    const app = await openApp(testConfiguration(folder, { baseUrl: BASE_URL, store: this.location(...nodes) }));
    this.#closers.push(() => app.close());
    return app;
  }

  /** A proxy in front of the server. */
  async proxy(): Promise<FaultProxy> {
    const proxy = await FaultProxy.start(this.url);
    this.#closers.push(() => proxy.close());
    return proxy;
  }

  /** A caller that opens something that uses the indices closes it before they are deleted. */
  onClose(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** Starts a server with a document cache of its own, and resolves when it serves. */
  async serve(options: ProcessOptions = {}): Promise<ServingProcess> {
    const port = await findFreePort();
    const process = startProcess(
      ['serve', '--port', String(port), '--base-url', BASE_URL, '--log-level', 'error', '--json'],
      { cwd: this.folder, env: this.environment(options) },
    );
    await process.says(/"event":"serving"/);
    return { process, url: `http://127.0.0.1:${port}` };
  }

  /**
   * Serves it within this process, with a document cache of its own: for a test that neither kills nor pauses it, since
   * processes take a second to start.
   */
  async serveHere(...nodes: readonly string[]): Promise<{ readonly url: string }> {
    const server = await startServer(await this.open(...nodes), { host: '127.0.0.1', port: 0 });
    this.#closers.push(() => server.close());
    return server;
  }

  /** Runs a command on it. */
  run(args: readonly string[], options: ProcessOptions & { readonly input?: string } = {}): Promise<FinishedRun> {
    const { input = '', ...rest } = options;
    return runTidemark(args, { cwd: this.folder, env: this.environment(rest), input });
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  /** What names this source to the program. */
  environment({
    failpoint,
    clockOffset,
    storeUrl = this.url,
    environment = {},
  }: ProcessOptions): Record<string, string> {
    return {
      TIDEMARK_DATA: this.#ownFolder(),
      TIDEMARK_STORE: storeUrl,
      TIDEMARK_INDEX_PREFIX: this.prefix,
      ...(this.#access !== undefined && {
        TIDEMARK_STORE_CA: this.#access.caFile,
        TIDEMARK_STORE_API_KEY: this.#access.apiKey,
      }),
      ...(failpoint !== undefined && { TIDEMARK_FAILPOINT: failpoint }),
      ...(clockOffset !== undefined && {
        NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
        CLOCK_OFFSET: String(clockOffset),
      }),
      ...environment,
    };
  }

  /** On several machines, no process sees what another one has rendered. */
  #ownFolder(): string {
    this.#processes += 1;
    return join(this.folder, `process-${this.#processes}`);
  }
}

/** Ends every process, and removes every source. */
export async function closeElasticsearchSources(): Promise<void> {
  await killTidemarks();
  const all = [...sources];
  sources.clear();
  for (const source of all) await source.close();
}
