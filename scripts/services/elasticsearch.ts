import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { installElasticsearch } from './elasticsearch-distribution.ts';
import type { ElasticsearchNode } from './elasticsearch-node.ts';
import { configureNodes, type ElasticsearchOptions } from './elasticsearch-nodes.ts';
import { findJava } from './find-java.ts';
import { installSecurityIndexAnalysis } from './security-index/install.ts';
import { mayBeReached, openTemporaryFolders, runsAsRoot } from './unprivileged.ts';

/** One server, or a cluster of them; what is asked of it is done to all of its nodes. */
export class Elasticsearch {
  readonly nodes: readonly ElasticsearchNode[];

  constructor(nodes: readonly ElasticsearchNode[]) {
    this.nodes = nodes;
  }

  /** Of the first node. */
  get url(): string {
    return this.nodes[0]!.url;
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url);
  }

  /** Of the first node; undefined while it is not running. */
  get pid(): number | undefined {
    return this.nodes[0]!.pid;
  }

  async start(): Promise<void> {
    // A node is ready when it has found the others, so they start together.
    const starts = await Promise.allSettled(this.nodes.map((node) => node.start()));
    const failed = starts.find(({ status }) => status === 'rejected');
    if (failed === undefined) return;
    await this.kill();
    throw (failed as PromiseRejectedResult).reason;
  }

  /** Ends it in good order. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** Ends it at once, as a power failure would. */
  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  pause(): void {
    for (const node of this.nodes) node.pause();
  }

  resume(): void {
    for (const node of this.nodes) node.resume();
  }

  /** On the same ports and data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }
}

/**
 * Starts real servers on this machine, and fetches the program first where it is not there. They end when this process
 * ends, however it ends.
 */
export async function startElasticsearch(options: ElasticsearchOptions): Promise<Elasticsearch> {
  const distribution = await installElasticsearch(options.major);
  const { home: installed } = distribution;
  const java = findJava(distribution.oldestJava);
  if (options.security?.hasApiKeys) await installSecurityIndexAnalysis(distribution, java);
  const folder = resolve(options.folder);
  await mkdir(folder, { recursive: true });
  openTemporaryFolders(folder);
  if (runsAsRoot() && !mayBeReached(folder)) {
    throw new Error(`Elasticsearch does not run as root, and no other user can reach ${folder}: choose another folder`);
  }
  const home = runsAsRoot() && !mayBeReached(installed) ? await copyOf(installed, folder) : installed;
  const elasticsearch = new Elasticsearch(await configureNodes({ ...options, folder }, { home, java }));
  await elasticsearch.start();
  return elasticsearch;
}

async function copyOf(installed: string, folder: string): Promise<string> {
  const copy = join(folder, 'program');
  if (!existsSync(copy)) await cp(installed, copy, { recursive: true });
  return copy;
}

interface CommandOptions {
  readonly nodes: number;
  readonly port?: number;
  readonly heap: string;
  readonly data?: string;
}

async function runUntilInterrupted({ data, ...options }: CommandOptions): Promise<void> {
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'elasticsearch-')));
  try {
    const elasticsearch = await startElasticsearch({ folder, ...options });
    for (const url of elasticsearch.urls) console.log(url);
    await interrupted;
    await elasticsearch.stop();
  } finally {
    if (data === undefined) await rm(folder, { recursive: true });
  }
}

function parseCount(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It is not a whole number above zero.');
  return Number(text);
}

if (import.meta.main) {
  await new Command('elasticsearch')
    .description('Starts a real Elasticsearch on this machine, prints its URLs, and runs until Ctrl-C.')
    .option('--nodes <count>', 'servers of the cluster', parseCount, 1)
    .option('--port <port>', 'port of the first node; the others have the next ones (default: free ones)', parseCount)
    .option('--heap <size>', 'memory of each node for its objects', '512m')
    .option('--data <folder>', 'where to keep the data (default: nothing is kept)')
    .action(runUntilInterrupted)
    .parseAsync();
}
