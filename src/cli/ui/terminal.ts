import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Failure } from '../exit-code.ts';
import { printable } from './printable.ts';

/** The streams of the process. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Where a command says what it has to say: results on standard output, everything else on standard error. */
export class Terminal {
  readonly stdin: Readable;
  readonly stderr: Streams['stderr'];
  /** Results are JSON, and nothing else is said but errors. */
  readonly json: boolean;
  readonly #stdout: Writable;

  constructor({ stdin, stdout, stderr }: Streams, json: boolean) {
    this.stdin = stdin;
    this.stderr = stderr;
    this.json = json;
    this.#stdout = stdout;
  }

  /** Writes a line of text, or (with --json) the value as one line of JSON. Waits while the reader is slow. */
  async print(text: string, value: unknown): Promise<void> {
    await this.write(`${this.json ? JSON.stringify(value) : printable(text)}\n`);
  }

  /** Writes to standard output as it is. Waits while the reader is slow. */
  async write(chunk: string): Promise<void> {
    if (!this.#stdout.write(chunk)) await once(this.#stdout, 'drain');
  }

  /** Tells a person what goes on. */
  tell(text: string): void {
    if (!this.json) this.stderr.write(`${printable(text)}\n`);
  }

  fail({ code, message, details }: Failure): void {
    const error = { code, message, ...details };
    this.stderr.write(this.json ? `${JSON.stringify({ error })}\n` : `tidemark: ${printable(message)}\n`);
  }
}
