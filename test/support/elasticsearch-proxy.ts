import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request on its way to the server. */
export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** What becomes of a request: an answer, or a connection that is cut, after so many bytes of the answer when it has some. */
export type Outcome = Answered | { readonly cutAfter: number; readonly answer?: Answered };

/** `execute` hands the request on to the server, and may be called late, or not at all, or twice. */
export type Fault = (execute: () => Promise<Answered>, asked: Asked) => Promise<Outcome>;

interface Rule {
  readonly matches: (asked: Asked) => boolean;
  readonly fault: Fault;
  met: number;
}

const SERVER_GONE = { cutAfter: 0 };

/** Stands between the program and a real Elasticsearch, and does to chosen requests what networks and servers do to them. */
export class ElasticsearchProxy {
  readonly url: string;
  readonly #target: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server;
  readonly #rules = new Set<Rule>();

  private constructor(target: string, server: ReturnType<typeof createServer>) {
    this.#target = target;
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (asking, answering) => {
      this.#serve(asking, answering).catch(() => answering.destroy());
    });
  }

  static async start(target: string): Promise<ElasticsearchProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ElasticsearchProxy(target, server);
  }

  /** From now on, requests that match meet a fault; the first rule that matches counts. */
  on(matches: Rule['matches'], fault: Fault): { readonly met: number; remove(): void } {
    const rule: Rule = { matches, fault, met: 0 };
    this.#rules.add(rule);
    return {
      get met() {
        return rule.met;
      },
      remove: () => this.#rules.delete(rule),
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    this.#agent.destroy();
  }

  async #serve(asking: IncomingMessage, answering: ServerResponse): Promise<void> {
    const sent = await buffer(asking);
    const asked = { method: asking.method!, path: asking.url!, body: sent.toString() };
    const execute = () => this.#execute(asking, sent);
    const rule = [...this.#rules].find(({ matches }) => matches(asked));
    if (rule === undefined) return send(answering, await execute().catch(() => SERVER_GONE));
    rule.met += 1;
    send(answering, await rule.fault(execute, asked));
  }

  async #execute({ method, url, headers }: IncomingMessage, sent: Buffer): Promise<Answered> {
    const executing = request(this.#target + url, { method, headers, agent: this.#agent });
    executing.end(sent);
    const [response] = (await once(executing, 'response')) as [IncomingMessage];
    return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
  }
}

/** What a server says that is too busy (429), or has no master or shard (503). */
export function refusal(status: number): Answered {
  const error = {
    type: status === 429 ? 'circuit_breaking_exception' : 'unavailable_shards_exception',
    reason: 'for a test',
  };
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' },
    body: Buffer.from(JSON.stringify({ error, status })),
  };
}

/** The server has executed it, and nobody hears of that. */
export const cutAnswer: Fault = async (execute) => {
  await execute();
  return { cutAfter: 0 };
};

/** The connection goes before the server has heard of the request. */
export const cutRequest: Fault = async () => ({ cutAfter: 0 });

/** The connection goes in the middle of the answer. */
export const cutInTheMiddle: Fault = async (execute) => {
  const answer = await execute();
  return { answer, cutAfter: Math.floor(answer.body.length / 2) };
};

export function refuse(status: number): Fault {
  return async () => refusal(status);
}

function send(answering: ServerResponse, outcome: Outcome): void {
  const answer = 'cutAfter' in outcome ? outcome.answer : outcome;
  if (answer === undefined || answering.destroyed) {
    answering.destroy();
    return;
  }
  const { 'transfer-encoding': _, ...headers } = answer.headers;
  answering.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
  if (!('cutAfter' in outcome)) answering.end(answer.body);
  else answering.write(answer.body.subarray(0, outcome.cutAfter), () => answering.destroy());
}
