import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';
import { cleanEnvironment, MAIN } from './run-tidemark.ts';
import { until } from './until.ts';

export const CTRL_C = '\u0003';

/** A test that needs `script`, which runs a program in a pseudo-terminal. */
export function itInTerminal(title: string, test: AsyncFunc): void {
  const isMissing = spawnSync('script', ['--version']).status !== 0;
  const hint = "needs script of util-linux (Debian's package bsdutils)";
  itNeeding({ name: 'script', missing: isMissing ? hint : undefined }, title, test);
}

interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another program than the real one. */
  readonly program?: readonly string[];
}

/** The real program in a pseudo-terminal of 24 rows and 100 columns. Its caller calls `kill` in the end. */
export class InTerminal {
  /** All that was written to the terminal, with its control characters. */
  raw = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown[]>;

  constructor(args: readonly string[], { cwd, env = {}, program = [process.execPath, MAIN] }: TerminalOptions) {
    const words = [...program, ...args].map((word) => `'${word}'`).join(' ');
    const command = `stty rows 24 columns 100; exec ${words}`;
    this.#child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
      cwd,
      env: { ...cleanEnvironment(), TERM: 'xterm', ...env },
    });
    this.#closed = once(this.#child, 'close');
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text;
    });
  }

  /** The same as text. */
  get text(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r', '\n');
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const ended = this.#closed.then(() => {
      if (!pattern.test(this.text)) throw new Error(`it exited before it said ${pattern}:\n${this.text}`);
    });
    const said = until(`it says ${pattern}`, async () => pattern.exec(this.text) ?? false);
    await Promise.race([said, ended]);
    return said;
  }

  /** As a person at the keyboard. */
  type(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits until it has ended. */
  async exit(): Promise<number | null> {
    const [exitCode] = await this.#closed;
    return exitCode as number | null;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Whether the cursor is shown. */
  get hasCursor(): boolean {
    return this.raw.lastIndexOf('\u001b[?25l') <= this.raw.lastIndexOf('\u001b[?25h');
  }
}
