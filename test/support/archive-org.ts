import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type FileServer, startFileServer } from './file-server.ts';

/** Milliseconds until an item is made. */
const MAKING_MS = 20;

export interface ArchiveItem {
  readonly metadata: Readonly<Record<string, string | readonly string[]>>;
  readonly files: Map<string, ArchiveFile>;
}

export interface ArchiveFile {
  readonly bytes: Buffer;
  /** What the client has said of it. */
  readonly metadata: Readonly<Record<string, string | readonly string[]>>;
}

/** What happens to the next requests; a number counts down. */
export interface ArchiveFaults {
  /** Answers to PUT: 503 SlowDown before the body is read. */
  slowDown?: number;
  /** Answers to `check_limit`: over the limit. */
  overLimit?: number;
  /** A file is stored, and the connection is closed without an answer. */
  lostAnswers?: number;
  /** The connection is closed before the body is read. */
  cutRequests?: number;
  /** The metadata API does not know yet what was stored. */
  staleReads?: number;
  /** PUT is redirected to this URL. */
  redirectTo?: string;
  /** Bytes of this path are stored damaged. */
  damagedPath?: string;
  /** Answers to PUT: this text, with status 503. */
  words?: string;
}

export interface ArchiveRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * Archive.org as far as datasets need it: IAS3 and the metadata API, at one address. Also a proxy, since the client of
 * archive.org names its hosts itself.
 */
export class ArchiveOrg {
  readonly keys = { access: 'an-access-key', secret: 'a-secret-key' };
  readonly items = new Map<string, ArchiveItem>();
  readonly requests: ArchiveRequest[] = [];
  faults: ArchiveFaults = {};
  #server!: FileServer;
  /** Items whose first file is under way. */
  readonly #making = new Set<string>();
  /** What the metadata API says while it is stale. */
  #known = new Map<string, object>();

  static async start(): Promise<ArchiveOrg> {
    const started = new ArchiveOrg();
    started.#server = await startFileServer((request, response) => {
      started.#answer(request, response).catch((error: Error) => response.destroy(error));
    });
    return started;
  }

  get url(): string {
    return `${this.#server.url}/`;
  }

  /** Requests of a method, as path and query. */
  requestsOf(method: string): readonly string[] {
    return this.requests.filter((request) => request.method === method).map(({ url }) => url);
  }

  add(name: string, metadata: ArchiveItem['metadata'], files: Readonly<Record<string, string>> = {}): void {
    const entries = Object.entries(files).map(
      ([path, text]) => [path, { bytes: Buffer.from(text), metadata: {} }] as const,
    );
    this.items.set(name, { metadata: { identifier: name, ...metadata }, files: new Map(entries) });
  }

  textOf(item: string, path: string): string | undefined {
    return this.items.get(item)?.files.get(path)?.bytes.toString();
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A proxy gets a whole URL.
    const { pathname, search, searchParams } = new URL(request.url!, 'http://archive.org');
    const { method = '', headers } = request;
    this.requests.push({ method, url: pathname + search, headers });
    const [first = '', ...rest] = pathname.slice(1).split('/').map(decodeURIComponent);
    if (method === 'PUT') return this.#put(request, response, { item: first, path: rest.join('/') });
    if (searchParams.has('check_limit')) {
      return json(response, { bucket: searchParams.get('bucket'), over_limit: this.#counts('overLimit') ? 1 : 0 });
    }
    if (first === 'metadata') return json(response, this.#metadataOf(rest.join('/')));
    const bytes =
      first === 'download' ? this.items.get(rest[0]!)?.files.get(rest.slice(1).join('/'))?.bytes : undefined;
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  }

  async #put(
    request: IncomingMessage,
    response: ServerResponse,
    { item, path }: { readonly item: string; readonly path: string },
  ): Promise<void> {
    const { headers } = request;
    if (this.#counts('slowDown')) return problem(response, 503, 'SlowDown', 'Please reduce your request rate.');
    if (this.faults.words !== undefined) return problem(response, 503, 'SlowDown', this.faults.words);
    if (this.faults.redirectTo !== undefined) {
      response.writeHead(307, { location: this.faults.redirectTo }).end();
      return;
    }
    if (this.#counts('cutRequests')) {
      request.socket.destroy();
      return;
    }
    const { access, secret } = this.keys;
    if (headers.authorization !== `LOW ${access}:${secret}`) {
      return problem(response, 403, 'InvalidAccessKeyId', `No such key: ${headers.authorization}`);
    }
    if (headers['content-length'] === undefined)
      return problem(response, 411, 'MissingContentLength', 'Send a length.');
    if (path === 'name') return problem(response, 400, 'InvalidArgument', 'This name is reserved.');
    if (!this.items.has(item) && headers['x-archive-auto-make-bucket'] !== '1') {
      return problem(response, 404, 'NoSuchBucket', 'The specified bucket does not exist.');
    }
    if (this.#making.has(item)) return problem(response, 409, 'OperationAborted', 'The bucket is just being made.');
    const isNew = !this.items.has(item);
    if (isNew) this.#making.add(item);
    const bytes = await buffer(request).finally(() => isNew && wait(MAKING_MS));
    this.#making.delete(item);
    const md5 = createHash('md5').update(bytes).digest();
    const stated = headers['content-md5'];
    if (stated !== undefined && stated !== md5.toString('hex') && stated !== md5.toString('base64')) {
      return problem(response, 400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.');
    }
    this.#remember(item);
    this.#store(item, path, { bytes, metadata: metadataIn(headers, 'filemeta') }, metadataIn(headers, 'meta'));
    if (this.#counts('lostAnswers')) {
      request.socket.destroy();
      return;
    }
    response.writeHead(200).end();
  }

  #store(item: string, path: string, file: ArchiveFile, metadata: ArchiveItem['metadata']): void {
    const made = this.items.get(item) ?? { metadata: { identifier: item, ...metadata }, files: new Map() };
    const isDamaged = this.faults.damagedPath === path;
    made.files.set(path, isDamaged ? { ...file, bytes: Buffer.concat([file.bytes, Buffer.from('!')]) } : file);
    this.items.set(item, made);
  }

  /** What is known of an item before it changes. */
  #remember(item: string): void {
    if (!this.#known.has(item)) this.#known.set(item, this.#describe(item));
  }

  #metadataOf(item: string): object {
    const known = this.#known.get(item);
    if (known !== undefined && this.#counts('staleReads')) return known;
    this.#known.delete(item);
    return this.#describe(item);
  }

  #describe(name: string): object {
    const item = this.items.get(name);
    if (item === undefined) return {};
    if (item.metadata.dark !== undefined) return { is_dark: true, metadata: { identifier: name } };
    const files = [...item.files].map(([path, { bytes, metadata }]) => ({
      name: path,
      source: 'original',
      // Numbers are texts there.
      size: String(bytes.length),
      md5: digest('md5', bytes),
      sha1: digest('sha1', bytes),
      ...metadata,
    }));
    return { created: 1, item_size: 1, metadata: item.metadata, files };
  }

  #counts(fault: 'slowDown' | 'overLimit' | 'lostAnswers' | 'cutRequests' | 'staleReads'): boolean {
    const left = this.faults[fault] ?? 0;
    if (left === 0) return false;
    this.faults[fault] = left - 1;
    return true;
  }
}

const digest = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex');

/** The values of `x-archive-metaNN-NAME`, of which several make a list. */
function metadataIn(headers: IncomingMessage['headers'], kind: 'meta' | 'filemeta'): ArchiveItem['metadata'] {
  const found = new Map<string, string[]>();
  for (const [header, value] of Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [, name] = new RegExp(`^x-archive-${kind}(?:\\d+)?-(.+)$`).exec(header) ?? [];
    if (name === undefined) continue;
    const [, encoded] = /^uri\((.*)\)$/s.exec(String(value)) ?? [];
    const text = encoded === undefined ? String(value) : decodeURIComponent(encoded);
    const field = name.replaceAll('--', '_');
    found.set(field, [...(found.get(field) ?? []), text]);
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function problem(response: ServerResponse, status: number, code: string, message: string): void {
  const body = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' }).end(body);
}
