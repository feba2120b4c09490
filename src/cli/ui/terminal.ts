import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Failure } from '../exit-code.ts';
import { withProgramName } from '../program-name.ts';
import { DrawnLine, type TerminalStream } from './drawn-line.ts';
import { printable } from './printable.ts';

/** Thrown where output would go on that no process reads any more, as in `tidemark changes list … | head`. */
export class OutputClosed extends Error {}

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
  /** Aborted with `OutputClosed` when no process reads standard output any more. */
  readonly closed: AbortSignal;
  readonly #closing = new AbortController();
  readonly #stdout: Writable;
  readonly #program: string;

  constructor({ stdin, stdout, stderr }: Streams, json: boolean, program = 'tidemark') {
    this.stdin = stdin;
    this.stderr = stderr;
    this.json = json;
    this.line = new DrawnLine(stderr);
    this.closed = this.#closing.signal;
    this.#stdout = stdout;
    this.#program = program;
  }

  /** Call this when no process reads standard output any more. */
  closeOutput(): void {
    this.#closing.abort(new OutputClosed('no process reads the output any more'));
  }

  /**
   * Writes a line of text, or (with --json) the value as one line of JSON. Waits while the reader is slow. Does nothing
   * when there is no reader any more: the exit code is that of the work.
   */
  async print(text: string, value: unknown): Promise<void> {
    if (!this.closed.aborted) await this.write(`${this.json ? JSON.stringify(value) : printable(text)}\n`);
  }

  /**
   * Writes to standard output, unchanged. Waits while the reader is slow.
   * @throws OutputClosed when there is no reader any more
   */
  async write(chunk: string): Promise<void> {
    this.closed.throwIfAborted();
    let isTaken = false;
    this.line.writeAbove(() => {
      isTaken = this.#stdout.write(chunk);
    });
    if (isTaken) return;
    await once(this.#stdout, 'drain').catch((error: unknown) => {
      if (!this.closed.aborted) throw error;
    });
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
