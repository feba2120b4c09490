import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** A request on its way to the server. */
export interface Asked {
  readonly method: string;
  /** With its query, as it was sent, and the path of the proxy. */
  readonly path: string;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/**
 * What becomes of a request: an answer; or a connection that is cut, after so many bytes of the answer when it has
 * some; or nothing at all.
 */
export type Outcome = Answered | { readonly cutAfter: number; readonly answer?: Answered } | 'silence';

/** `execute` hands the request on to the server, and may be called late, or not at all, or twice. */
export type Fault = (execute: () => Promise<Answered>, asked: Asked) => Promise<Outcome>;

interface Rule {
  readonly matches: (asked: Asked) => boolean;
  readonly fault: Fault;
  met: number;
}

const SERVER_GONE = { cutAfter: 0 };
const NOT_BELOW: Answered = { status: 404, headers: {}, body: Buffer.alloc(0) };

/** Is between the program and a real server, and does to chosen requests what networks and servers do to them. */
export class FaultProxy {
  readonly url: string;
  readonly asked: Asked[] = [];
  readonly #target: string;
  readonly #base: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;
  readonly #rules = new Set<Rule>();

  private constructor(target: string, server: Server, base: string) {
    this.#target = target;
    this.#server = server;
    this.#base = base;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`;
    server.on('request', (asking, answering) => {
      this.#serve(asking, answering).catch(() => answering.destroy());
    });
  }

  /** @param base the path below which the server is, such as `/es`; it is not passed on */
  static async start(target: string, base = ''): Promise<FaultProxy> {
    // The client says when a connection ends.
    const server = createServer({ keepAliveTimeout: 0 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(target, server, base);
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

  /** From clients. */
  openConnections(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))();
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
    this.asked.push(asked);
    if (!asked.path.startsWith(`${this.#base}/`)) return send(answering, NOT_BELOW);
    const execute = () => this.#execute(asking, sent);
    const rule = [...this.#rules].find(({ matches }) => matches(asked));
    if (rule === undefined) return send(answering, await execute().catch(() => SERVER_GONE));
    rule.met += 1;
    send(answering, await rule.fault(execute, asked));
  }

  /** With the host that the client sent, which it may have signed. */
  async #execute({ method, url, headers }: IncomingMessage, sent: Buffer): Promise<Answered> {
    const executing = request(this.#target + url!.slice(this.#base.length), { method, headers, agent: this.#agent });
    executing.end(sent);
    const [response] = (await once(executing, 'response')) as [IncomingMessage];
    return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
  }
}

/** The server has executed it, and its answer is lost. */
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

/** The server holds the connection, and says nothing. */
export const saySilence: Fault = async () => 'silence';

function send(answering: ServerResponse, outcome: Outcome): void {
  if (outcome === 'silence') return;
  const answer = 'cutAfter' in outcome ? outcome.answer : outcome;
  if (answer === undefined || answering.destroyed) {
    answering.destroy();
    return;
  }
  const { 'transfer-encoding': _, ...headers } = answer.headers;
  // An answer to HEAD has the length of a body that it has not.
  const length = answering.req.method === 'HEAD' ? {} : { 'content-length': answer.body.length };
  answering.writeHead(answer.status, { ...headers, ...length });
  if (!('cutAfter' in outcome)) answering.end(answer.body);
  else answering.write(answer.body.subarray(0, outcome.cutAfter), () => answering.destroy());
}
