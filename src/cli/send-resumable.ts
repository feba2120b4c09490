import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type ResumablesView, resumablesSchema } from '../api/resumable-view.ts';
import { TidemarkError } from '../core/errors.ts';
import { type Backoff, pauseAfter } from '../lib/calls/retry.ts';
import { reasonOf } from '../lib/system-error.ts';
import { MOST_METADATA } from '../records/arrivals/resumable/resumable-upload.ts';
import { askTus, Broken, type TusAnswer } from './ask-tus.ts';
import { Stopped } from './exit-code.ts';
import { bytesOf, type Form, type FormFile, type SendOptions } from './send-form.ts';

interface ResumableOptions extends SendOptions {
  /** Called before it resumes after a break. */
  onBreak(reason: string): void;
  /** For tests. */
  readonly backoff?: Backoff;
}

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
/** Number of consecutive failures, without a stored byte, after which it gives up: about three minutes. */
export const MOST_FAILURES = 10;
/** Milliseconds between two checks whether a complete file has become an upload. */
const POLL_MS = 2_000;
/** Milliseconds: a user who has stopped the command must not wait long. */
const GIVE_UP_MS = 5_000;
/** Whether the header has room for the names of all files. */
export function canResume(form: Form): boolean {
  return metadataOf(form).length <= MOST_METADATA;
}

/**
 * Sends files by tus 1.0, one after the other, and resumes after a break, even when a killed process had sent the same
 * files. Returns the stream and the number of the upload: `main/17`. When it gives up, it removes what it has sent from
 * the server.
 * @param all the URL at which resumable uploads are created
 * @throws TidemarkError with the error of the server; `unavailable` when it does not answer for minutes; `invalid` when
 *   a file changes; Stopped, also when the server stores all bytes meanwhile
 */
export async function sendResumable(all: URL, form: Form, options: ResumableOptions): Promise<string> {
  const sending = new Sending(all, form, options);
  try {
    return await sendAll(sending, all, options);
  } catch (error) {
    const stored = await sending.giveUp();
    if (stored === undefined || !options.signal.aborted) throw error;
    if (stored.upload !== undefined) return stored.upload;
    throw new Stopped('stopped, but all bytes are stored: "tidemark uploads list" shows the upload soon');
  }
}

async function sendAll(sending: Sending, all: URL, options: ResumableOptions): Promise<string> {
  for (let failures = 0, stored = -1; ; ) {
    options.signal.throwIfAborted();
    try {
      const url = await sending.begin();
      const { offset, upload } = await sending.status(url);
      if (upload !== undefined) return upload;
      if (offset > stored) failures = 0;
      stored = Math.max(stored, offset);
      const ended = offset < sending.length ? await sending.send(url, offset) : undefined;
      if (ended !== undefined) return ended;
      if (offset === sending.length) await wait(POLL_MS, undefined, { signal: options.signal });
    } catch (error) {
      options.signal.throwIfAborted();
      failures += 1;
      if (!(error instanceof Broken)) throw error;
      if (failures >= MOST_FAILURES) throw unavailable(all, error);
      options.onBreak(error.message);
      await pauseAfter(failures, options.backoff ?? BACKOFF, options.signal);
    }
  }
}

class Sending {
  readonly #all: URL;
  readonly #form: Form;
  readonly #options: ResumableOptions;
  /** The URL of the resumable upload, once it was created. */
  #url: URL | undefined;
  /** Bytes of all files together. */
  readonly length: number;

  constructor(all: URL, form: Form, options: ResumableOptions) {
    this.#all = all;
    this.#form = form;
    this.#options = options;
    this.length = bytesOf(form.files);
  }

  async begin(): Promise<URL> {
    if (this.#url !== undefined) return this.#url;
    this.#url = await this.#earlier();
    if (this.#url !== undefined) return this.#url;
    const { headers } = await this.#ask('POST', this.#all, {
      'Upload-Length': String(this.length),
      'Upload-Metadata': metadataOf(this.#form),
    });
    // A proxy may name another server there, or the same one by http: the token must be sent only to the given one.
    this.#url = new URL(new URL(headers.location ?? '', this.#all).pathname, this.#all);
    return this.#url;
  }

  /** A resumable upload that a killed process has created for the same files. */
  async #earlier(): Promise<URL | undefined> {
    const metadata = metadataOf(this.#form);
    // A refusal may come from a server without a list. Other errors are reported when an upload is created.
    const find = (method: string, url: URL) => this.#ask(method, url, {}).catch(unlessRefused);
    for (const { id, length } of unfinishedOf((await find('GET', this.#all))?.text)) {
      if (length !== this.length) continue;
      const url = new URL(`${this.#all.pathname}/${id}`, this.#all);
      if ((await find('HEAD', url))?.headers['upload-metadata'] === metadata) return url;
    }
    return undefined;
  }

  /**
   * Removes what was sent, unless all of it is stored: then it is an upload, or soon will be. If removing fails, the
   * server does so after a day.
   */
  async giveUp(): Promise<{ readonly upload: string | undefined } | undefined> {
    const url = this.#url;
    if (url === undefined) return undefined;
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    try {
      const { offset, upload } = await this.status(url, signal);
      if (offset === this.length) return { upload };
      await this.#ask('DELETE', url, {}, { signal });
    } catch (error) {
      if (!(error instanceof Broken || error instanceof TidemarkError || signal.aborted)) throw error;
    }
    return undefined;
  }

  async status(
    url: URL,
    signal?: AbortSignal,
  ): Promise<{ readonly offset: number; readonly upload: string | undefined }> {
    const { headers } = await this.#ask('HEAD', url, {}, { signal });
    return { offset: Number(headers['upload-offset']), upload: uploadOf(headers) };
  }

  /** Sends all bytes from an offset on. Returns the upload when all bytes have become one. */
  async send(url: URL, offset: number): Promise<string | undefined> {
    await this.#requireSame();
    const headers = {
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(this.length - offset),
    };
    return uploadOf((await this.#ask('PATCH', url, headers, { from: offset })).headers);
  }

  /** Bytes of two versions of a file must never be combined. */
  async #requireSame(): Promise<void> {
    for (const file of this.#form.files) await this.#requireSameFile(file);
  }

  async #requireSameFile({ path, length, modified }: FormFile): Promise<void> {
    const stats = await stat(path).catch((error: unknown) => {
      throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
    });
    if (stats.size === length && stats.mtimeMs === modified) return;
    throw changed(path);
  }

  /** @param from position of the first byte to send; without it, the request has no body */
  #ask(
    method: string,
    url: URL,
    headers: Readonly<Record<string, string>>,
    { from, signal = this.#options.signal }: { readonly from?: number; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<TusAnswer> {
    const { token } = this.#options;
    const body = from === undefined ? undefined : this.#bytes(from);
    return askTus(url, { method, headers, token, signal, body });
  }

  async *#bytes(from: number): AsyncGenerator<Buffer> {
    let sent = from;
    let begin = 0;
    for (const { path, length } of this.#form.files) {
      const start = Math.max(0, from - begin);
      begin += length;
      if (start >= length) continue;
      for await (const chunk of createReadStream(path, { start, end: length - 1, highWaterMark: 256 * 1024 })) {
        yield chunk as Buffer;
        sent += chunk.length;
        this.#options.onProgress(sent);
      }
      // Otherwise the bytes of the next file would follow too early.
      if (sent !== begin) throw changed(path);
    }
  }
}

/**
 * The metadata in the format of tus: pairs of a key and a Base64 text. The server stores `fingerprint`, which differs
 * as soon as a file has changed.
 */
function metadataOf({ files, fields }: Form): string {
  const [first, ...others] = files;
  const named =
    others.length === 0
      ? { filename: first!.name }
      : { files: JSON.stringify(files.map(({ name, length }) => ({ name, length }))) };
  const fingerprint = hash('sha256', JSON.stringify(files), 'hex').slice(0, 32);
  return Object.entries({ ...named, ...fields, fingerprint })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof TidemarkError)) throw error;
}

/** None when the response is not from a Tidemark server. */
function unfinishedOf(list: string | undefined): ResumablesView['uploads'] {
  try {
    return resumablesSchema.parse(JSON.parse(list ?? '')).uploads;
  } catch {
    return [];
  }
}

function changed(path: string): TidemarkError {
  return new TidemarkError('invalid', `${path} changed while it was sent: send it again`, { file: path });
}

function uploadOf(headers: TusAnswer['headers']): string | undefined {
  const upload = headers['tidemark-upload'];
  return typeof upload === 'string' ? upload : undefined;
}

function unavailable({ origin }: URL, error: Broken): TidemarkError {
  const message = `the server at ${origin} could not be reached for minutes: ${error.message}`;
  return new TidemarkError('unavailable', message, { server: origin }, error);
}
