import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { HttpError } from './http-error.ts';

/** Receives the parts of a `multipart/form-data` form, in order. An error of a method ends the reading. */
interface FormParts {
  field(name: string, value: string): void;
  /** Reads all bytes of a file; the next file waits until this resolves. */
  file(name: string, file: FormFile): Promise<void>;
}

export interface FormFile {
  /** The name without folders, which some clients send; empty for a part without a name. */
  readonly fileName: string;
  readonly body: Readable;
}

const MOST_FIELDS = 20;
const LIMITS = { fieldNameSize: 100, fieldSize: 4_096, fields: MOST_FIELDS, headerPairs: 50, headerSize: 16_384 };

/**
 * Reads a form as it arrives, no faster than its files are read. On an error, the current file fails, too, and reading
 * stops.
 * @throws HttpError 400 for an invalid form, 413 for too many parts; what the body throws, and what `parts` throw
 */
export async function readMultipart(
  headers: IncomingHttpHeaders,
  body: AsyncIterable<Buffer>,
  parts: FormParts,
): Promise<void> {
  const reader = new FormReader(headers, parts);
  try {
    for await (const chunk of body) await reader.write(chunk);
    await reader.end();
  } catch (error) {
    throw await reader.fail(error);
  }
}

class FormReader {
  readonly #busboy: BusboyInstance;
  readonly #parts: FormParts;
  /** Called when the parser takes more bytes, or has ended, and when reading has failed. */
  #wake: () => void = () => {};
  /** Resolves when all files so far were read; it never rejects. */
  #taken: Promise<void> = Promise.resolve();
  /** The same for all but the last one, of which more may come. */
  #takenBefore: Promise<void> = Promise.resolve();
  readonly #waiting = new Set<Readable>();
  #failure: { readonly error: unknown } | undefined;

  constructor(headers: IncomingHttpHeaders, parts: FormParts) {
    this.#parts = parts;
    this.#busboy = openBusboy(headers);
    this.#busboy
      .on('field', (name, value, _isNameCut, isCut) => this.#field(name, isCut ? undefined : value))
      .on('file', (name, stream, fileName) => this.#file(name, stream, unescaped(fileName ?? '')))
      .on('fieldsLimit', () => this.#stop(tooMany()))
      .on('drain', () => this.#wake())
      .on('finish', () => this.#wake())
      .on('error', (error) => this.#stop(noForm(error)));
  }

  async write(chunk: Buffer): Promise<void> {
    this.#requireGood();
    if (!this.#busboy.write(chunk)) await this.#untilAwake();
    // Otherwise any number of small files would wait in memory.
    await this.#takenBefore;
  }

  async end(): Promise<void> {
    this.#busboy.end();
    if (!this.#busboy.writableFinished) await this.#untilAwake();
    await this.#taken;
    this.#requireGood();
  }

  /** Ends the reading. Returns the first error. */
  async fail(error: unknown): Promise<unknown> {
    this.#stop(error);
    await this.#taken;
    return this.#failure?.error;
  }

  /** For a large file this is called for each chunk: `events.once` would take longer than hashing some of its bytes. */
  async #untilAwake(): Promise<void> {
    this.#requireGood();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#requireGood();
  }

  #requireGood(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #field(name: string | undefined, value: string | undefined): void {
    if (this.#failure !== undefined) return;
    try {
      if (value === undefined) throw tooLong(name ?? '');
      this.#parts.field(name ?? '', value);
    } catch (error) {
      this.#stop(error);
    }
  }

  #file(name: string | undefined, body: Readable, fileName: string): void {
    // The receiver may not have started to read.
    body.on('error', () => {});
    if (this.#failure !== undefined) {
      body.destroy();
      return;
    }
    this.#waiting.add(body);
    this.#takenBefore = this.#taken;
    this.#taken = this.#taken.then(async () => {
      try {
        if (this.#failure === undefined) await this.#parts.file(name ?? '', { fileName, body });
      } catch (error) {
        this.#stop(error);
      } finally {
        this.#waiting.delete(body);
      }
    });
  }

  #stop(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
    const unread = new Error('the form was not read to its end', { cause: error });
    for (const body of this.#waiting) body.destroy(unread);
  }
}

/** Browsers escape these three characters, and no other one (HTML, "multipart/form-data encoding algorithm"). */
function unescaped(name: string): string {
  return name.replace(/%(?:22|0D|0A)/g, decodeURIComponent);
}

function openBusboy(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS });
  } catch (error) {
    throw noForm(error);
  }
}

function noForm(error: unknown): HttpError {
  const message = `the body is not a complete multipart/form-data form: ${(error as Error).message}`;
  return new HttpError(400, { code: 'bad-form', message });
}

function tooLong(name: string): HttpError {
  const message = `the field ${JSON.stringify(name.slice(0, 80))} has more than ${LIMITS.fieldSize} bytes`;
  return new HttpError(413, { code: 'field-too-long', message });
}

function tooMany(): HttpError {
  return new HttpError(413, { code: 'too-many-fields', message: `the form has more than ${MOST_FIELDS} fields` });
}
