import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { base32Of } from '../../src/datasets/backends/base32.ts';
import { digits14 } from '../../src/datasets/fetch/timestamp14.ts';
import { type FileServer, startFileServer } from './file-server.ts';

/** The longest capture. */
const MOST_BYTES = 1024 * 1024;

/** What happens to the next requests; a number counts down. */
export interface CaptureFaults {
  /** Each ends a capture with this `status_ext`. */
  errors?: string[];
  /** Those captures succeed nevertheless. */
  succeedsAlthough?: true;
  /** The status is `pending`. */
  pending?: number;
  /** POST is answered 429: the sessions of the account are used. */
  sessionLimit?: number;
  /** All captures of today are made. */
  isDayOver?: true;
  /** The index does not know the latest captures yet. */
  staleReads?: number;
  /** POST is answered with this status and no JSON. */
  status?: number;
  /** Paths that are redirected, and to which URL. */
  redirect?: { readonly from: string; readonly to: string };
  /** A job is forgotten. */
  forgotten?: number;
  /** A replay is cut off. */
  cutReplays?: number;
  /** A replay has other bytes than the capture. */
  wrongReplays?: number;
}

interface MadeCapture {
  readonly url: string;
  readonly timestamp: string;
  readonly status: number;
  readonly mimetype: string;
  readonly location: string | undefined;
  readonly body: Buffer;
  readonly encoding: string | undefined;
}

/** Save Page Now 2, with the index and the replay of its web archive. It really requests what it captures. */
export class SavePageNowServer {
  readonly keys = { access: 'an-access-key', secret: 'a-secret-key' };
  readonly captures: MadeCapture[] = [];
  /** With the header Authorization. */
  readonly requests: { readonly method: string; readonly url: string; readonly authorization: string | undefined }[] =
    [];
  faults: CaptureFaults = {};
  /** Of answers of the index: that of archive.org, or that of pywb. */
  index: 'arrays' | 'lines' = 'arrays';
  /** Captures have their body in gzip. */
  isPacked = false;
  /** Milliseconds since 1970; a capture is one second later than the one before. */
  now = Date.now();
  readonly #jobs = new Map<string, object>();
  #server!: FileServer;

  static async start(): Promise<SavePageNowServer> {
    const started = new SavePageNowServer();
    started.#server = await startFileServer((request, response) => {
      started.#answer(request, response).catch((error: Error) => response.destroy(error));
    });
    return started;
  }

  get url(): string {
    return `${this.#server.url}/`;
  }

  /** The URLs that it was asked to capture. */
  posted: string[] = [];

  async close(): Promise<void> {
    await this.#server.close();
  }

  /** Captures a URL, with the redirects on the way. Returns the last capture. */
  async capture(url: string): Promise<MadeCapture> {
    this.now += 1000;
    const response = await fetch(url, { redirect: 'manual' });
    const received = await beginOf(response);
    const location = response.headers.get('location');
    const made = {
      url,
      timestamp: digits14(this.now),
      status: response.status,
      mimetype: response.headers.get('content-type') ?? 'unk',
      location: location === null ? undefined : new URL(location, url).href,
      body: this.isPacked ? gzipSync(received) : received,
      encoding: this.isPacked ? 'gzip' : undefined,
    };
    this.captures.push(made);
    return made.location === undefined ? made : this.capture(made.location);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, url, authorization: headers.authorization });
    const { pathname, searchParams } = new URL(url, 'http://x');
    if (pathname === '/save' && method === 'POST') return this.#save(request, response);
    const { redirect } = this.faults;
    if (redirect !== undefined && pathname.startsWith(redirect.from)) {
      response.writeHead(302, { location: redirect.to }).end();
      return;
    }
    if (pathname === '/save/status/user') return json(response, 200, this.#user());
    if (pathname.startsWith('/save/status/')) return this.#status(pathname.slice('/save/status/'.length), response);
    if (pathname === '/cdx/search/cdx') return this.#cdx(searchParams, response);
    if (pathname.startsWith('/web/')) return this.#replay(url, response);
    response.writeHead(404).end();
  }

  async #save(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URLSearchParams(await text(request)).get('url')!;
    const { access, secret } = this.keys;
    const { authorization } = request.headers;
    if (authorization !== undefined && authorization !== `LOW ${access}:${secret}`) {
      return json(response, 401, { message: 'You need to be logged in to use Save Page Now.' });
    }
    this.posted.push(url);
    if (this.faults.status !== undefined) {
      const { status } = this.faults;
      delete this.faults.status;
      response.writeHead(status).end('<h1>Sorry</h1>');
      return;
    }
    if (this.#counts('sessionLimit')) {
      const message = 'You have already reached the limit of active Save Page Now sessions.';
      return json(response, 429, { message, status_ext: 'error:user-session-limit' });
    }
    const job = `spn2-${crypto.randomUUID()}`;
    this.#jobs.set(job, await this.#outcomeOf(url));
    json(response, 200, { url, job_id: job });
  }

  async #outcomeOf(url: string): Promise<object> {
    const error = this.faults.errors?.shift();
    if (error === undefined || this.faults.succeedsAlthough === true) {
      const { url: last, timestamp, status } = await this.capture(url);
      if (status >= 400) return { status: 'error', status_ext: 'error:not-found', original_url: url };
      if (error === undefined) return { status: 'success', original_url: last, timestamp, http_status: status };
    }
    return { status: 'error', status_ext: error, message: 'It failed.', original_url: url };
  }

  #status(job: string, response: ServerResponse): void {
    const outcome = this.#jobs.get(job);
    const isKnown = outcome !== undefined && !this.#counts('forgotten');
    const answer = this.#counts('pending') ? { status: 'pending' } : outcome;
    if (isKnown) json(response, 200, { job_id: job, ...answer });
    else json(response, 404, { message: 'No such job.' });
  }

  #user(): object {
    const isFull = (this.faults.sessionLimit ?? 0) > 0 && this.#counts('sessionLimit');
    const made = this.faults.isDayOver === true ? 30_000 : 12;
    return { available: isFull ? 0 : 3, processing: 1, daily_captures: made, daily_captures_limit: 30_000 };
  }

  #cdx(query: URLSearchParams, response: ServerResponse): void {
    const isStale = this.#counts('staleReads');
    const from = query.get('from') ?? '';
    const found = this.captures.filter(
      ({ url, timestamp }) => url === query.get('url') && timestamp >= from && !isStale,
    );
    const rows = found.map(({ url, timestamp, mimetype, status, body }) => {
      const digest = base32Of(createHash('sha1').update(body).digest('hex'));
      return { urlkey: 'x', timestamp, url, mime: mimetype, status: String(status), digest, length: '1' };
    });
    const names = ['urlkey', 'timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'];
    const body =
      this.index === 'lines'
        ? rows.map((row) => `${JSON.stringify(row)}\n`).join('')
        : JSON.stringify(rows.length === 0 ? [] : [names, ...rows.map(Object.values)]);
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  #replay(path: string, response: ServerResponse): void {
    const [, timestamp, url] = /^\/web\/(\d{14})id_\/(.*)$/s.exec(path) ?? [];
    const capture = this.captures.find((one) => one.url === url && one.timestamp === timestamp);
    if (capture === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { mimetype, encoding, location, status } = capture;
    const body = this.#counts('wrongReplays')
      ? Buffer.concat([capture.body.subarray(1), Buffer.from('!')])
      : capture.body;
    response.writeHead(status, {
      'content-type': mimetype,
      'content-length': body.length,
      ...(encoding !== undefined && { 'content-encoding': encoding }),
      ...(location !== undefined && { location: `/web/${timestamp}id_/${location}` }),
    });
    if (!this.#counts('cutReplays')) {
      response.end(body);
      return;
    }
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
  }

  #counts(fault: 'pending' | 'sessionLimit' | 'staleReads' | 'forgotten' | 'cutReplays' | 'wrongReplays'): boolean {
    const left = this.faults[fault] ?? 0;
    if (left === 0) return false;
    this.faults[fault] = left - 1;
    return true;
  }
}

/** Even of a body that does not end. */
async function beginOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) break;
  }
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
