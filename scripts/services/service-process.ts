import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { guard } from './guard.ts';
import { unprivileged } from './unprivileged.ts';

/** Milliseconds until a server is killed that does not start or stop. */
const TIMEOUT_MS = 120_000;

export interface ServiceProgram {
  /** For messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  /** Shuts it down in good order, and ends it at once: other programs take other signals. */
  readonly signals: { readonly stop: NodeJS.Signals; readonly kill: NodeJS.Signals };
  /** Whether it refuses to run as root: then another user runs it. */
  readonly refusesRoot: boolean;
  isReady(): Promise<boolean>;
}

/** A server that can be stopped, killed, and started again on the same port and data. */
export class ServiceProcess {
  readonly #program: ServiceProgram;
  #running: { readonly process: ChildProcess; readonly ended: Promise<unknown> } | undefined;

  constructor(program: ServiceProgram) {
    this.#program = program;
  }

  /** Resolves when it answers. @throws Error with the end of its log */
  async start(): Promise<void> {
    const { command, args, logFile, refusesRoot } = this.#program;
    const log = await open(logFile, 'a');
    // Detached, it leads a group of processes, and Ctrl-C in a terminal does not reach it before its owner.
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      ...(refusesRoot && unprivileged()),
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

  async stop(): Promise<void> {
    const late = setTimeout(() => this.#running?.process.kill('SIGKILL'), TIMEOUT_MS);
    await this.#end(this.#program.signals.stop);
    clearTimeout(late);
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#end(this.#program.signals.kill);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#running;
    running?.process.kill(signal);
    await running?.ended;
  }

  async #untilReady(): Promise<void> {
    const { name, logFile, isReady } = this.#program;
    const deadline = performance.now() + TIMEOUT_MS;
    while (!(await isReady())) {
      if (this.#running === undefined || performance.now() > deadline) {
        const log = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
        await this.kill();
        throw new Error(`${name} did not start:\n${log.slice(-30).join('\n')}`);
      }
      await wait(50);
    }
  }
}
