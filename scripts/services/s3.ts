import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { findFreePorts } from './free-ports.ts';
import { guard } from './guard.ts';
import { installS3 } from './s3-program.ts';

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Options {
  /** Where the server stores its data: `buckets` has a folder for each bucket. It is made when it is missing. */
  readonly folder: string;
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Default: new ones. */
  readonly keys?: S3Keys | undefined;
  /** The server posts every change of an object to this URL, which must answer before the server starts. */
  readonly eventsUrl?: string | undefined;
  /** Whether it keeps connections open, as other S3 servers do. By default, versitygw does not. */
  readonly keepAlive?: boolean | undefined;
}

/** Until a server is killed that does not start or stop. */
const TIMEOUT_MS = 120_000;

/**
 * A real S3 server (versitygw over a folder): a process that can be stopped, killed, paused, and started again on the
 * same port and data.
 */
export class S3Server {
  readonly endpoint: string;
  readonly keys: S3Keys;
  /** A bucket is a folder in here; an object is a file, whose ETag and other properties are extended attributes. */
  readonly buckets: string;
  readonly #program: string;
  readonly #port: number;
  readonly #eventsUrl: string | undefined;
  readonly #keepAlive: boolean;
  readonly #logFile: string;
  #running: { readonly process: ChildProcess; readonly ended: Promise<unknown> } | undefined;

  private constructor(
    program: string,
    folder: string,
    port: number,
    { keys, eventsUrl, keepAlive = false }: S3Options,
  ) {
    this.#program = program;
    this.#port = port;
    this.#eventsUrl = eventsUrl;
    this.#keepAlive = keepAlive;
    this.#logFile = join(folder, 'log');
    this.endpoint = `http://127.0.0.1:${port}`;
    this.keys = keys ?? { accessKeyId: `key-${randomName()}`, secretAccessKey: randomName() };
    this.buckets = join(folder, 'buckets');
  }

  /** Starts a server, and builds its program if necessary. The server ends with this process, however that ends. */
  static async start(options: S3Options): Promise<S3Server> {
    const program = await installS3();
    const folder = resolve(options.folder);
    const [free] = await findFreePorts(1);
    const server = new S3Server(program, folder, options.port ?? free!, options);
    await mkdir(server.buckets, { recursive: true });
    await server.start();
    return server;
  }

  /** Undefined while it is not running. */
  get pid(): number | undefined {
    return this.#running?.process.pid;
  }

  async start(): Promise<void> {
    const log = await open(this.#logFile, 'a');
    const options = ['--port', `127.0.0.1:${this.#port}`, '--health', '/healthz', '--quiet'];
    if (this.#keepAlive) options.push('--keep-alive');
    if (this.#eventsUrl !== undefined) options.push('--event-webhook-url', this.#eventsUrl);
    // Detached, it leads a group of processes, and Ctrl-C in a terminal does not reach it before its owner.
    const child = spawn(this.#program, [...options, 'posix', this.buckets], {
      env: {
        PATH: process.env.PATH,
        ROOT_ACCESS_KEY_ID: this.keys.accessKeyId,
        ROOT_SECRET_ACCESS_KEY: this.keys.secretAccessKey,
      },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const ended = once(child, 'exit');
    await once(child, 'spawn');
    await log.close();
    const guarding = guard(child.pid!);
    this.#running = { process: child, ended };
    ended.then(() => {
      guarding.kill();
      this.#running = undefined;
    });
    await this.#untilReady();
  }

  /** Shuts it down. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#signal('SIGKILL'), TIMEOUT_MS);
    await this.#end('SIGTERM');
    clearTimeout(late);
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** It keeps its port and its connections, and answers nothing until `resume`. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#running;
    this.#signal(signal);
    this.#signal('SIGCONT');
    await running?.ended;
  }

  async #untilReady(): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    while (!(await this.#isReady())) {
      if (this.#running === undefined || performance.now() > deadline) {
        const log = (await readFile(this.#logFile, 'utf8')).trimEnd().split('\n');
        await this.kill();
        throw new Error(`the S3 server at ${this.endpoint} did not start:\n${log.slice(-30).join('\n')}`);
      }
      await wait(50);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.endpoint}/healthz`, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  #signal(signal: NodeJS.Signals): void {
    this.#running?.process.kill(signal);
  }
}

function randomName(): string {
  return randomBytes(16).toString('hex');
}

interface CommandOptions {
  readonly port?: number;
  readonly data?: string;
  readonly bucket?: string;
  readonly eventsUrl?: string;
}

async function runUntilInterrupted({ data, bucket, ...options }: CommandOptions): Promise<void> {
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const folder = data ?? (await mkdtemp(join(tmpdir(), 's3-')));
  try {
    const server = await S3Server.start({ folder, ...options });
    if (bucket !== undefined) await mkdir(join(server.buckets, bucket), { recursive: true });
    console.log(`export S3_ENDPOINT=${server.endpoint}`);
    console.log(`export AWS_ACCESS_KEY_ID=${server.keys.accessKeyId}`);
    console.log(`export AWS_SECRET_ACCESS_KEY=${server.keys.secretAccessKey}`);
    await interrupted;
    await server.stop();
  } finally {
    if (data === undefined) await rm(folder, { recursive: true });
  }
}

function parsePort(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It is not a port.');
  return Number(text);
}

if (import.meta.main) {
  await new Command('s3')
    .description('Starts a real S3 server on this machine, prints how to reach it, and runs until Ctrl-C.')
    .option('--port <port>', 'port of the server (default: a free one)', parsePort)
    .option('--data <folder>', 'where to keep the data (default: nothing is kept)')
    .option('--bucket <name>', 'make this bucket')
    .option('--events-url <url>', 'post every change of an object to this URL')
    .action(runUntilInterrupted)
    .parseAsync();
}
