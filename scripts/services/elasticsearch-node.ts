import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { NodeEnvironment } from './elasticsearch-configuration.ts';
import { guard } from './guard.ts';
import { unprivileged } from './unprivileged.ts';

/** Milliseconds until a node that does not answer, or does not end, is given up. */
const TIMEOUT_MS = 400_000;

interface RunningProcess {
  /** The start script, which waits for the server to end. */
  readonly launcher: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly guard: ChildProcess;
}

export interface NodePlace {
  /** The distribution's folder. */
  readonly home: string;
  /** Holds all that the node writes. */
  readonly folder: string;
  readonly url: string;
  readonly environment: NodeEnvironment;
  /** For the `Authorization` header, where security is on. */
  readonly authorization: string | undefined;
  /** PEM, for a URL with https. */
  readonly caFile: string | undefined;
  /** Runs the program that follows as another user than root; empty where none is needed. */
  readonly command: readonly string[];
}

/**
 * One server of Elasticsearch: a process that can be stopped, killed, paused, and started again on the same port and
 * data.
 */
export class ElasticsearchNode {
  readonly url: string;
  readonly #place: NodePlace;
  readonly #pidFile: string;
  readonly #logFile: string;
  #running: RunningProcess | undefined;
  #pid: number | undefined;

  constructor(place: NodePlace) {
    this.url = place.url;
    this.#place = place;
    this.#pidFile = join(place.folder, 'pid');
    this.#logFile = join(place.folder, 'log');
  }

  /** The server's process; undefined while it is not running. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /**
   * Starts it, and waits until it knows its cluster and has every primary shard. Throws an error with the end of its
   * log when that takes too long.
   */
  async start(): Promise<void> {
    const running = await this.#launch();
    this.#running = running;
    let hasEnded = false;
    const onEnded = () => {
      hasEnded = true;
      running.guard.kill();
      this.#running = undefined;
      this.#pid = undefined;
    };
    running.ended.then(onEnded, onEnded);
    const deadline = performance.now() + TIMEOUT_MS;
    while (!(await this.#isReady())) {
      if (hasEnded || performance.now() > deadline) {
        const complaint = `Elasticsearch at ${this.url} did not start:\n${await this.#endOfLog()}`;
        await this.kill();
        throw new Error(complaint);
      }
      await wait(100);
    }
    this.#pid = Number(await readFile(this.#pidFile, 'utf8'));
  }

  /** Ends it in good order. */
  async stop(): Promise<void> {
    this.#signal('SIGTERM');
    this.#signal('SIGCONT');
    const late = setTimeout(() => this.#signal('SIGKILL'), TIMEOUT_MS);
    await this.#running?.ended;
    clearTimeout(late);
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#running?.ended;
  }

  /** It goes on to hold its port and its connections, and answers nothing until `resume`. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async #launch(): Promise<RunningProcess> {
    const { home, environment, command } = this.#place;
    await rm(this.#pidFile, { force: true });
    const log = await open(this.#logFile, 'a');
    // Detached, it leads a group of processes, and Ctrl-C in a terminal does not reach it before its owner.
    const [program, ...args] = [...command, join(home, 'bin/elasticsearch'), '-p', this.#pidFile];
    const launcher = spawn(program!, args, {
      env: environment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...(command.length === 0 && unprivileged()),
    });
    await once(launcher, 'spawn');
    await log.close();
    return { launcher, ended: once(launcher, 'exit'), guard: guard(launcher.pid!) };
  }

  async #isReady(): Promise<boolean> {
    const { authorization, caFile } = this.#place;
    const { request } = caFile === undefined ? http : https;
    try {
      const asking = request(`${this.url}/_cluster/health?wait_for_status=yellow&timeout=1s`, {
        headers: authorization === undefined ? {} : { authorization },
        signal: AbortSignal.timeout(5_000),
        agent: false,
        ...(caFile !== undefined && { ca: await readFile(caFile) }),
      });
      asking.end();
      const [response] = (await once(asking, 'response')) as [http.IncomingMessage];
      response.destroy();
      return response.statusCode === 200;
    } catch {
      return false;
    }
  }

  async #endOfLog(): Promise<string> {
    const lines = (await readFile(this.#logFile, 'utf8')).trimEnd().split('\n');
    return lines.slice(-30).join('\n');
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#running === undefined) return;
    // The start script waits for the server to end, which it must not survive: a port and locks are then free.
    process.kill(this.#pid ?? -this.#running.launcher.pid!, signal);
  }
}
