import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ask } from './ask.ts';

export interface Received {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What a subscriber does with a delivery, in place of taking it. */
export type Reaction = (request: IncomingMessage, response: ServerResponse, received: Received) => void;

/** A subscriber of WebSub by node:http. */
export class TestSubscriber {
  readonly deliveries: Received[] = [];
  /** The queries of verifications and denials. */
  readonly asked: Record<string, string>[] = [];
  /** Whether it confirms what it is asked. */
  confirms = true;
  /** It answers what it is asked when this has resolved. */
  answersAfter: Promise<void> = Promise.resolve();
  /** Whether it never answers what it is asked. */
  hangs = false;
  react: Reaction = (_request, response) => response.writeHead(204).end();
  /** Deliveries that were under way at the same time, at most. */
  mostAtOnce = 0;
  #atOnce = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(port = 0): Promise<TestSubscriber> {
    const subscriber = new TestSubscriber();
    subscriber.#server.listen(port, '127.0.0.1');
    await once(subscriber.#server, 'listening');
    STARTED.add(subscriber);
    return subscriber;
  }

  get callback(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callback?own=1`;
  }

  /** The addresses and kinds of the changes that came, in the order in which they came. */
  get changes(): readonly string[] {
    return this.deliveries.flatMap(({ body }) =>
      [...body.matchAll(/<loc>([^<]*)<\/loc>.*?change="(\w+)"/g)].map(([, loc, change]) => `${change} ${loc}`),
    );
  }

  /** Asks a hub. */
  async request(hub: string, form: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams({ 'hub.callback': this.callback, ...form }).toString();
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return ask(hub, { method: 'POST', headers: { ...type, ...headers }, body });
  }

  async stop(): Promise<void> {
    STARTED.delete(this);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://127.0.0.1');
    if (request.method === 'GET') {
      this.asked.push(Object.fromEntries(url.searchParams));
      if (this.hangs) return;
      await this.answersAfter;
      if (this.confirms) response.end(url.searchParams.get('hub.challenge'));
      else response.writeHead(404).end();
      return;
    }
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    response.once('close', () => {
      this.#atOnce -= 1;
    });
    const body = (await buffer(request).catch(() => Buffer.from(''))).toString('utf8');
    const received = { body, headers: request.headers, at: Date.now() };
    this.deliveries.push(received);
    this.react(request, response, received);
  }
}

export function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

const STARTED = new Set<TestSubscriber>();

/** For `afterEach`. */
export async function stopSubscribers(): Promise<void> {
  for (const subscriber of [...STARTED]) await subscriber.stop();
}
