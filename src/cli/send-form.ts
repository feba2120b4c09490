import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { TidemarkError } from '../core/errors.ts';
import { clientModule } from '../lib/http/client-module.ts';
import { describeHttpFailure } from '../lib/http/failure.ts';
import { responseTo } from '../lib/http/response-to.ts';
import { errorCode, reasonOf } from '../lib/system-error.ts';
import { IDLE_MS } from './ask-tus.ts';
import { Stopped } from './exit-code.ts';

export interface Form {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly FormFile[];
}

export interface FormFile {
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly length: number;
  /** Time of the last change, milliseconds since 1970, with fractions. */
  readonly modified: number;
}

export interface SendOptions {
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  /** Default: as for tus. */
  readonly idleMs?: number;
  /** @param sent bytes of files so far */
  onProgress(sent: number): void;
}

export interface FormAnswer {
  readonly status: number;
  readonly text: string;
}

/** Error codes that show that the server received no byte. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Number of bytes of all files together. */
export function bytesOf(files: readonly FormFile[]): number {
  return files.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Posts a form with files (RFC 7578) while reading them, so that they are never in memory as a whole.
 * @throws TidemarkError `unavailable` when the server does not answer; `invalid` when a file cannot be read, or changes
 */
export async function sendForm(url: URL, form: Form, options: SendOptions): Promise<FormAnswer> {
  const boundary = crypto.randomUUID();
  const body = new FormBody(form, boundary, options.onProgress);
  const { idleMs = IDLE_MS } = options;
  const request = clientModule(url.protocol === 'https:').request(url, {
    method: 'POST',
    signal: options.signal,
    timeout: idleMs,
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': body.length,
      ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
    },
  });
  request.on('timeout', () => request.destroy(new Error(`no byte was sent or received for ${idleMs / 1000} s`)));
  const answered = responseTo(request);
  const chunks = Readable.from(body.chunks(), { objectMode: false });
  // A server that refuses the form responds before it has read all of it.
  const sent = pipeline(chunks, request).catch(() => {});
  try {
    const response = await answered;
    const answer = { status: response.statusCode ?? 0, text: await text(response) };
    request.destroy();
    await sent;
    return answer;
  } catch (error) {
    if (options.signal.aborted && body.isSent) throw mayBeStored();
    options.signal.throwIfAborted();
    await sent;
    throw body.problem ?? unanswered(url, error, body.isSent);
  }
}

class FormBody {
  /** Why a file could not be sent. */
  problem: TidemarkError | undefined;
  /** Whether all bytes were read for sending. */
  isSent = false;
  readonly length: number;
  readonly #form: Form;
  readonly #boundary: string;
  readonly #onProgress: SendOptions['onProgress'];

  constructor(form: Form, boundary: string, onProgress: SendOptions['onProgress']) {
    this.#form = form;
    this.#boundary = boundary;
    this.#onProgress = onProgress;
    const heads = [...this.#fields(), ...form.files.map((file) => this.#head(file)), this.#end()];
    const ends = form.files.length * 2;
    this.length = Buffer.byteLength(heads.join('')) + ends + bytesOf(form.files);
  }

  async *chunks(): AsyncGenerator<Buffer> {
    yield Buffer.from(this.#fields().join(''));
    let sent = 0;
    for (const file of this.#form.files) {
      yield Buffer.from(this.#head(file));
      for await (const chunk of this.#bytesOf(file)) {
        yield chunk;
        sent += chunk.length;
        this.#onProgress(sent);
      }
      yield Buffer.from('\r\n');
    }
    this.isSent = true;
    yield Buffer.from(this.#end());
  }

  async *#bytesOf({ path, length }: FormFile): AsyncGenerator<Buffer> {
    let read = 0;
    try {
      for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
        read += chunk.length;
        if (read > length) break;
        yield chunk as Buffer;
      }
    } catch (error) {
      this.problem = new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
      throw this.problem;
    }
    if (read === length) return;
    this.problem = new TidemarkError('invalid', `${path} changed while it was sent: send it again`, { file: path });
    throw this.problem;
  }

  #fields(): readonly string[] {
    return Object.entries(this.#form.fields).map(
      ([name, value]) => `--${this.#boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
  }

  #head({ name }: FormFile): string {
    const disposition = `form-data; name="files"; filename="${escaped(name)}"`;
    const type = 'Content-Type: application/octet-stream';
    return `--${this.#boundary}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n\r\n`;
  }

  #end(): string {
    return `--${this.#boundary}--\r\n`;
  }
}

/** Escapes a name like browsers do (HTML, "multipart/form-data encoding algorithm"). */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function mayBeStored(): Stopped {
  return new Stopped('stopped when all bytes were sent: "tidemark uploads list" shows whether the upload was stored');
}

function unanswered({ origin }: URL, error: unknown, isSent: boolean): TidemarkError {
  const mayBeStored = isSent && !NOT_REACHED.has(errorCode(error) ?? '');
  const hint = mayBeStored ? '. "tidemark uploads list" shows whether the upload was stored' : '';
  const message = `the server at ${origin} did not answer: ${describeHttpFailure(error as Error)}${hint}`;
  return new TidemarkError('unavailable', message, { server: origin }, error);
}
