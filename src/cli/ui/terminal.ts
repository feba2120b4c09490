import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Failure } from '../exit-code.ts';
import { withProgramName } from '../program-name.ts';
import { DrawnLine, type TerminalStream } from './drawn-line.ts';
import { printable } from './printable.ts';

/** The streams of the process. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: TerminalStream;
}

/**
 * The output of a command: results on standard output, everything else on standard error. Commands in messages begin
 * with the words by which the program was called.
 */
export class Terminal {
  readonly stdin: Readable;
  readonly stderr: Streams['stderr'];
  /** Whether results are JSON; only errors are written besides. */
  readonly json: boolean;
  /** Shows progress; drawn only on a terminal. */
  readonly line: DrawnLine;
  readonly #stdout: Writable;
  readonly #program: string;

  constructor({ stdin, stdout, stderr }: Streams, json: boolean, program = 'tidemark') {
    this.stdin = stdin;
    this.stderr = stderr;
    this.json = json;
    this.line = new DrawnLine(stderr);
    this.#stdout = stdout;
    this.#program = program;
  }

  /** Writes a line of text, or (with --json) the value as one line of JSON. Waits while the reader is slow. */
  async print(text: string, value: unknown): Promise<void> {
    await this.write(`${this.json ? JSON.stringify(value) : printable(text)}\n`);
  }

  /** Writes to standard output, unchanged. Waits while the reader is slow. */
  async write(chunk: string): Promise<void> {
    let isTaken = false;
    this.line.writeAbove(() => {
      isTaken = this.#stdout.write(chunk);
    });
    if (!isTaken) await once(this.#stdout, 'drain');
  }

  /** Writes a message for users to standard error; nothing with --json. */
  say(text: string): void {
    if (!this.json) this.log(text);
  }

  /** Writes a line of a log to standard error, even with --json. */
  log(text: string): void {
    this.#writeLine(printable(withProgramName(text, this.#program)));
  }

  fail({ code, message: text, details }: Failure): void {
    const message = withProgramName(text, this.#program);
    const error = { code, message, ...details };
    this.#writeLine(this.json ? JSON.stringify({ error }) : `tidemark: ${printable(message)}`);
  }

  #writeLine(text: string): void {
    this.line.writeAbove(() => this.stderr.write(`${text}\n`));
  }
}
