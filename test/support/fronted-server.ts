import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { Registry } from 'prom-client';
import { ANONYMOUS } from '../../src/access/principal.ts';
import type { Answer } from '../../src/http/request/answer.ts';
import type { DirectHandler } from '../../src/http/request/direct-request.ts';
import { type ConnectionLimits, limitConnections } from '../../src/http/server/connections.ts';
import { DirectAnswers } from '../../src/http/server/direct-answers.ts';
import { directRoutes } from '../../src/http/server/direct-routes.ts';
import { HttpFront } from '../../src/http/server/front.ts';
import { RequestObserver } from '../../src/http/server/request-observer.ts';
import { answerUnreadable } from '../../src/http/server/unreadable-requests.ts';
import { withObservation } from '../../src/http/server/with-observation.ts';
import { HttpMetrics } from '../../src/observe/metrics/http-metrics.ts';
import type { FileBytes } from '../../src/sources/served-source.ts';

/** Milliseconds, longer than any test. */
const NEVER = 600_000;
/** Bytes of the largest body that is sent together with its head. */
export const SMALL = 16_384;
const LARGE = 8 * 1024 * 1024;

export interface LoggedRequest {
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  readonly aborted?: true;
}

/** A server with a front, and routes that try it. It is closed with `close`. */
export class FrontedServer {
  /** The URLs that node:http has read. */
  readonly byNode: string[] = [];
  readonly logged: LoggedRequest[] = [];
  /** Bodies that are streams or files, and open. */
  openBodies = 0;
  /** Lets `/slow` answer. */
  readonly slow = Promise.withResolvers<void>();
  /** How often `/slow` was asked for. */
  asked = 0;
  readonly server: Server;
  readonly front: HttpFront;

  constructor(
    limits: Partial<ConnectionLimits> = {},
    idleTimeoutMs = NEVER,
    logger: Logger = pino({ level: 'silent' }),
  ) {
    const log = new Writable({
      write: (line: Buffer, _encoding, done) => {
        this.logged.push(JSON.parse(String(line)));
        done();
      },
    });
    const observer = new RequestObserver({
      metrics: new HttpMetrics(new Registry()),
      accessLog: pino({ level: 'debug' }, log),
    });
    const admit = async () => ({
      sender: ANONYMOUS,
      hasSession: false,
      set: undefined,
      organization: undefined,
      collection: undefined,
      dataset: undefined,
      takeBody() {},
    });
    const routes = Object.entries(this.#handlers()).map(([path, direct]) => {
      const operation = { id: path, tag: 'documents', summary: path, answers: [] } as const;
      return { method: 'get', path, action: 'read-source', operation, handle() {}, direct } as const;
    });
    const direct = new DirectAnswers({ routes, admit, logger });
    const express = directRoutes({
      direct,
      idleTimeoutMs,
      express: (request, response) => void response.end(`left to express: ${request.url}`),
    });
    const all = { headersTimeout: NEVER, keepAliveTimeout: NEVER, checkInterval: 20, most: 1_000, ...limits };
    this.server = createServer({ connectionsCheckingInterval: all.checkInterval }, withObservation(express, observer));
    this.server.on('request', ({ url = '' }) => this.byNode.push(url));
    this.front = new HttpFront(this.server, { direct, observer, limits: all, idleTimeoutMs });
    limitConnections(this.server, { limits: all, closeIdle: () => this.front.closeIdle() });
    answerUnreadable(this.server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    this.front.stop();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  #handlers(): Readonly<Record<string, DirectHandler>> {
    return {
      // How the connection goes on is not part of the request.
      '/echo': async ({ method, url, headers: { connection: _, ...headers } }) =>
        text(JSON.stringify({ method, url, headers }), method),
      '/files/*path': async ({ method, params }) => text(JSON.stringify(params), method),
      '/empty': async ({ method }) => text('', method),
      '/unchanged': async () => ({ status: 304, headers: { ETag: '"a"', 'Cache-Control': 'no-cache' } }),
      '/large': async ({ method }) => text('x'.repeat(LARGE), method),
      '/small/:letter': async ({ method, params }) => text(String(params.letter).repeat(SMALL), method),
      '/middle': async ({ method }) => text('é'.repeat(40_000), method),
      '/stream': async () => ({ ...text('s'.repeat(LARGE)), body: this.#stream(LARGE) }),
      '/file': async () => ({ ...text('f'.repeat(LARGE)), body: this.#file(LARGE) }),
      '/short-file': async () => ({ ...text('f'.repeat(100)), body: this.#file(50) }),
      '/short': async () => ({ ...text('s'.repeat(100)), body: this.#stream(50) }),
      '/broken': async () => ({ ...text('s'.repeat(100)), body: this.#stream(50, new Error('no more')) }),
      '/odd': async () => ({ ...text('odd'), headers: { 'X-Odd': 'a\r\nX-Other: b' } }),
      '/failing': async () => {
        throw new Error('it fails');
      },
      '/slow-file': async () => {
        this.asked += 1;
        await this.slow.promise;
        return { ...text('f'), body: this.#file(1) };
      },
      '/slow': async ({ method }) => {
        this.asked += 1;
        await this.slow.promise;
        return text('slow', method);
      },
    };
  }

  #file(bytes: number): FileBytes {
    this.openBodies += 1;
    let left = bytes;
    let isOpen = true;
    const close = async () => {
      if (isOpen) this.openBodies -= 1;
      isOpen = false;
    };
    return {
      async read(into) {
        const size = Math.min(left, into.length);
        left -= size;
        into.fill('f', 0, size);
        return size;
      },
      stream: () => Readable.from([Buffer.alloc(left, 'f')], { objectMode: false }).once('close', close),
      close,
    };
  }

  #stream(bytes: number, error?: Error): Readable {
    this.openBodies += 1;
    let left = bytes;
    const body = new Readable({
      read() {
        const size = Math.min(left, 65_536);
        left -= size;
        if (size > 0) this.push(Buffer.alloc(size, 's'));
        else if (error === undefined) this.push(null);
        else this.destroy(error);
      },
    });
    return body.once('close', () => {
      this.openBodies -= 1;
    });
  }
}

function text(body: string, method?: string): Answer {
  const bytes = Buffer.from(body);
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': String(bytes.length) };
  return { status: 200, headers, body: method === 'HEAD' ? undefined : bytes };
}
