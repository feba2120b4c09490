import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '../../../test/support/free-port.ts';
import { type ChildOptions, type Finished, runChild } from './child.ts';
import { HttpClient } from './http-client.ts';
import { peakMemory } from './peak-memory.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.js');

/** A source's data folder, and the program run on it as an operator would. */
export class Tidemark {
  readonly dataFolder: string;
  readonly #port: number;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(dataFolder: string, port: number, env: NodeJS.ProcessEnv) {
    this.dataFolder = dataFolder;
    this.#port = port;
    this.#env = env;
  }

  /** @param env what names another store than the file in the data folder */
  static async create(dataFolder: string, env: NodeJS.ProcessEnv = {}): Promise<Tidemark> {
    return new Tidemark(dataFolder, await findFreePort(), env);
  }

  /** What its documents name it by, when nothing else is said. */
  get baseUrl(): string {
    return `http://localhost:${this.#port}`;
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<Finished> {
    return this.runWith(args);
  }

  runWith(args: readonly string[], options: Omit<ChildOptions, 'env'> = {}): Promise<Finished> {
    const all = [MAIN, ...args, '--data', this.dataFolder, '--json'];
    return runChild(process.execPath, all, { ...options, env: this.#env });
  }

  /** Adds a set of resources that are served elsewhere. */
  addSet(slug: string, ...options: readonly string[]): Promise<Finished> {
    const prefix = `https://repository.example.org/${slug}/`;
    return this.run('sets', 'add', slug, '--url-prefix', prefix, '--port', String(this.#port), ...options);
  }

  /** Adds a set of the files of a folder. */
  addFolder(slug: string, root: string): Promise<Finished> {
    return this.run('sets', 'add', slug, '--root', root, '--port', String(this.#port));
  }

  /** Adds a set of the records of a provider's activity. */
  addRecords(slug: string, records: string): Promise<Finished> {
    return this.run('sets', 'add', slug, '--records', records, '--port', String(this.#port));
  }

  /**
   * Resolves when it serves (or, with `publish`, when its first scan is complete).
   * @param port of a second server of the source
   */
  async start(
    args: readonly string[] = ['serve'],
    env: NodeJS.ProcessEnv = {},
    port: number = this.#port,
  ): Promise<Server> {
    const all = [MAIN, ...args, '--data', this.dataFolder, '--port', String(port), '--json'];
    const child = spawn(process.execPath, [...all, '--log-level', 'error'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...this.#env, ...env },
    });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout });
    const [line] = (await Promise.race([once(lines, 'line'), exited.then(() => [undefined])])) as [string | undefined];
    if (line === undefined) throw new Error(`the server ended with ${child.exitCode}`);
    lines.resume();
    const url = `http://127.0.0.1:${port}`;
    const client = new HttpClient(url);
    return {
      url,
      pid: child.pid!,
      client,
      peakMemory: () => peakMemory(child.pid!),
      async stop() {
        client.close();
        child.kill('SIGINT');
        await exited;
      },
    };
  }
}

export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly client: HttpClient;
  /** MB of the process and its children. */
  peakMemory(): number;
  stop(): Promise<void>;
}
