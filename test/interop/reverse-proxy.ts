import {
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';

export interface ProxiedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unpacked. */
  readonly body: Buffer;
  /** Whether it comes with gzip. */
  readonly isPacked?: boolean;
}

/**
 * Spoils what the source answers; `path` is below the base URL, and has the query. Returns undefined to leave it as it
 * is.
 */
export type Spoil = (path: string, answer: ProxiedAnswer, baseUrl: string) => Partial<ProxiedAnswer> | undefined;

/**
 * A reverse proxy as many sources have one: it has the public address, and beside the source other things on
 * the same host.
 */
export class ReverseProxy {
  /** The public base URL, without a slash at its end. */
  readonly baseUrl: string;
  /** Where requests are passed on to. */
  target = '';
  /** What it serves itself, by path. */
  readonly own = new Map<string, ProxiedAnswer>();
  spoil: Spoil = () => undefined;
  readonly #server: Server;
  readonly #prefix: string;

  private constructor(server: Server, prefix: string) {
    this.#server = server;
    this.#prefix = prefix;
    this.baseUrl = `http://localhost:${(server.address() as AddressInfo).port}${prefix}`;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error));
    });
  }

  /** @param prefix the path below which the source is, such as `/rs`; it is not passed on */
  static async start(prefix = ''): Promise<ReverseProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    return new ReverseProxy(server, prefix);
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve).closeAllConnections());
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url!;
    const own = this.own.get(path);
    if (own !== undefined) return send(response, this.#spoiled(path, own), incoming);
    if (!path.startsWith(`${this.#prefix}/`)) return void response.writeHead(404).end();
    const passed = await passOn(incoming, this.target, path.slice(this.#prefix.length));
    const body = await buffer(passed);
    const headers = passed.headers as Record<string, string>;
    const isPacked = headers['content-encoding'] === 'gzip';
    const answer = { status: passed.statusCode!, headers, body: isPacked ? gunzipSync(body) : body, isPacked };
    const spoilt = this.#spoiled(path, answer);
    if (spoilt === answer) response.writeHead(answer.status, headers).end(body);
    else send(response, spoilt, incoming);
  }

  #spoiled(path: string, answer: ProxiedAnswer): ProxiedAnswer {
    const change = this.spoil(path.slice(this.#prefix.length), answer, this.baseUrl);
    return change === undefined ? answer : { ...answer, ...change };
  }
}

function send(response: ServerResponse, answer: ProxiedAnswer, { method }: IncomingMessage): void {
  const { 'content-length': _length, 'content-encoding': _encoding, ...headers } = answer.headers;
  const body = answer.isPacked ? gzipSync(answer.body) : answer.body;
  response.writeHead(answer.status, { ...headers, ...(answer.isPacked && { 'content-encoding': 'gzip' }) });
  response.end(method === 'HEAD' ? undefined : body);
}

async function passOn(incoming: IncomingMessage, target: string, path: string): Promise<IncomingMessage> {
  const { method, headers } = incoming;
  const { hostname, port, host } = new URL(target);
  const options: RequestOptions = {
    hostname,
    port,
    path,
    method,
    headers: { ...headers, host, 'x-forwarded-for': '::1' },
  };
  return new Promise((resolve, reject) => {
    incoming.pipe(request(options).once('response', resolve).once('error', reject));
  });
}
