import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../core/errors.ts';
import { pauseAfter } from '../lib/retry.ts';
import { reasonOf } from '../lib/system-error.ts';
import type { FormFile, SendOptions } from './send-form.ts';

export interface ResumableOptions extends SendOptions {
  /** Called before it goes on after a break. */
  onBreak(reason: string): void;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const TUS = { 'Tus-Resumable': '1.0.0' };
const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
/** So many failures in a row, without a byte that was stored, end it: some three minutes. */
const MOST_FAILURES = 10;
/** The answer to the last byte may take 20 seconds. */
const IDLE_MS = 120_000;
/** Between two questions whether a whole file has become an upload. */
const POLL_MS = 2_000;
const PASSING = new Set([408, 409, 425, 429]);

/** A failure that may pass. */
class Broken extends Error {}

/**
 * Sends a file by tus 1.0, and goes on where it broke off. Returns the stream and the number of its upload: `main/17`.
 * @param all where resumable uploads are begun
 * @throws TidemarkError with what the server says is wrong; `unavailable` when it does not answer for minutes;
 *   `invalid` when the file changes
 */
export async function sendResumable(
  all: URL,
  { file, fields }: { readonly file: FormFile; readonly fields: Readonly<Record<string, string>> },
  options: ResumableOptions,
): Promise<string> {
  const sending = new Sending(all, file, options);
  let url: URL | undefined;
  for (let failures = 0, stored = -1; ; ) {
    options.signal.throwIfAborted();
    try {
      url ??= await sending.begin(fields);
      const { offset, upload } = await sending.status(url);
      if (upload !== undefined) return upload;
      if (offset > stored) failures = 0;
      stored = Math.max(stored, offset);
      const ended = offset < file.length ? await sending.send(url, offset) : undefined;
      if (ended !== undefined) return ended;
      if (offset === file.length) await wait(POLL_MS, undefined, { signal: options.signal });
    } catch (error) {
      options.signal.throwIfAborted();
      failures += 1;
      if (!(error instanceof Broken)) throw error;
      if (failures >= MOST_FAILURES) throw unavailable(all, error);
      options.onBreak(error.message);
      await pauseAfter(failures, BACKOFF, options.signal);
    }
  }
}

class Sending {
  readonly #all: URL;
  readonly #file: FormFile;
  readonly #options: ResumableOptions;
  #modified: number | undefined;

  constructor(all: URL, file: FormFile, options: ResumableOptions) {
    this.#all = all;
    this.#file = file;
    this.#options = options;
  }

  async begin(fields: Readonly<Record<string, string>>): Promise<URL> {
    const metadata = Object.entries({ filename: this.#file.name, ...fields });
    const { headers } = await this.#ask('POST', this.#all, {
      'Upload-Length': String(this.#file.length),
      'Upload-Metadata': metadata.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(','),
    });
    return new URL(headers.location ?? '', this.#all);
  }

  async status(url: URL): Promise<{ readonly offset: number; readonly upload: string | undefined }> {
    const { headers } = await this.#ask('HEAD', url, {});
    return { offset: Number(headers['upload-offset']), upload: uploadOf(headers) };
  }

  /** Sends all bytes from an offset on. Returns the upload when it has become one. */
  async send(url: URL, offset: number): Promise<string | undefined> {
    await this.#requireSame();
    const headers = {
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(this.#file.length - offset),
    };
    return uploadOf((await this.#ask('PATCH', url, headers, offset)).headers);
  }

  /** Bytes of two versions of a file must never be one. */
  async #requireSame(): Promise<void> {
    const { path, length } = this.#file;
    const stats = await stat(path).catch((error: unknown) => {
      throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { file: path });
    });
    this.#modified ??= stats.mtimeMs;
    if (stats.size === length && stats.mtimeMs === this.#modified) return;
    throw new TidemarkError('invalid', `${path} changed while it was sent: send it again`, { file: path });
  }

  /** @param from the first byte of the file to be sent; without it, none is */
  async #ask(method: string, url: URL, headers: Readonly<Record<string, string>>, from?: number): Promise<Answer> {
    const { token, signal } = this.#options;
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
      ...{ method, signal, agent: false, timeout: IDLE_MS },
      headers: { ...TUS, ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    });
    request.on('timeout', () => request.destroy(new Error(`it did not answer for ${IDLE_MS / 1000} s`)));
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    const sent = from === undefined ? Promise.resolve(request.end()) : pipeline(this.#bytes(from), request);
    // A server that refuses answers before it has read all.
    const settled = sent.then(
      () => {},
      () => {},
    );
    try {
      const [response] = await answered;
      const answer = { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
      request.destroy();
      await settled;
      return checked(answer, url);
    } catch (error) {
      request.destroy();
      await settled;
      throw error instanceof TidemarkError || error instanceof Broken ? error : new Broken(reasonOf(error));
    }
  }

  async *#bytes(from: number): AsyncGenerator<Buffer> {
    const { path, length } = this.#file;
    const chunks = createReadStream(path, { start: from, end: length - 1, highWaterMark: 256 * 1024 });
    let sent = from;
    for await (const chunk of chunks) {
      yield chunk as Buffer;
      sent += chunk.length;
      this.#options.onProgress(sent);
    }
  }
}

function uploadOf(headers: IncomingMessage['headers']): string | undefined {
  const upload = headers['tidemark-upload'];
  return typeof upload === 'string' ? upload : undefined;
}

/** @throws Broken for what may pass, TidemarkError for what the server says is wrong */
function checked(answer: Answer, { origin }: URL): Answer {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const message = messageOf(answer);
  if ((status >= 500 || PASSING.has(status)) && !isRefusal(answer)) throw new Broken(message);
  const code = status === 401 || status === 403 ? 'forbidden' : 'invalid';
  throw new TidemarkError(code, `the server at ${origin} did not take the upload: ${message}`, { status });
}

/** A conflict that another offset does not resolve, such as an archived stream. A HEAD has no body that says so. */
function isRefusal({ status, text }: Answer): boolean {
  return status === 409 && text !== '' && !/"other-offset"|another request/.test(text);
}

function messageOf({ status, text: body }: Answer): string {
  try {
    const message: unknown = JSON.parse(body).error?.message;
    if (typeof message === 'string') return message;
  } catch {
    // Another server, or a HEAD.
  }
  return `it answered ${status}`;
}

function unavailable({ origin }: URL, error: Broken): TidemarkError {
  const message = `the server at ${origin} could not be reached for minutes: ${error.message}`;
  return new TidemarkError('unavailable', message, { server: origin }, error);
}
