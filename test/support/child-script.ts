import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** One of the scripts of this folder, in a process of its own. It prints lines of JSON. */
export class ChildScript<Line> {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(script: string, options: object) {
    const file = fileURLToPath(new URL(script, import.meta.url));
    this.#child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#reader = createInterface({ input: this.#child.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  async line(): Promise<Line> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the script ended with ${this.#child.exitCode}`);
    return JSON.parse(value);
  }

  /** Sends an empty line, and reads the next one. */
  asked(): Promise<Line> {
    this.#child.stdin!.write('\n');
    return this.line();
  }

  /** MB of memory that the process holds, and the most that it ever held. */
  memory(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const megabytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1000;
    return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
  }

  /**
   * How many connections, and files with such names, the process has open: threads that it starts meanwhile open
   * others.
   */
  openFiles(names: RegExp): number {
    const folder = `/proc/${this.#child.pid}/fd`;
    const opened = readdirSync(folder).map((name) => nameOf(`${folder}/${name}`));
    return opened.filter((name) => name.startsWith('socket:') || names.test(name)).length;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.stdin!.end();
    this.#child.kill(signal);
    await exit;
    this.#reader.close();
  }
}

/** Of what a link leads to; empty when it has just been closed. */
function nameOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
