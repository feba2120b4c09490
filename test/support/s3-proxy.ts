import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request on its way to the server. */
export interface S3Asked {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly path: string;
  readonly isList: boolean;
}

export interface S3Answered {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** What becomes of a request: an answer; or a connection that is cut, after so many bytes of the answer when it has some; or nothing at all. */
export type S3Outcome = S3Answered | { readonly cutAfter: number; readonly answer?: S3Answered } | 'silence';

/** `execute` hands the request on to the server. */
export type S3Fault = (execute: () => Promise<S3Answered>, asked: S3Asked) => Promise<S3Outcome>;

interface Rule {
  readonly matches: (asked: S3Asked) => boolean;
  readonly fault: S3Fault;
  met: number;
}

/** Stands between the program and a real S3 server, and does to chosen requests what networks and servers do to them. */
export class S3Proxy {
  readonly endpoint: string;
  readonly asked: S3Asked[] = [];
  readonly #target: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server;
  readonly #rules = new Set<Rule>();

  private constructor(target: string, server: ReturnType<typeof createServer>) {
    this.#target = target;
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (asking, answering) => {
      this.#serve(asking, answering).catch(() => answering.destroy());
    });
  }

  static async start(target: string): Promise<S3Proxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new S3Proxy(target, server);
  }

  /** From now on, requests that match meet a fault; the first rule that matches counts. */
  on(matches: Rule['matches'], fault: S3Fault): { readonly met: number; remove(): void } {
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
    const { method = '', url = '' } = asking;
    const asked = { method, path: url, isList: method === 'GET' && url.includes('list-type=2') };
    this.asked.push(asked);
    const sent = await buffer(asking);
    const execute = () => this.#execute(asking, sent);
    const rule = [...this.#rules].find(({ matches }) => matches(asked));
    if (rule !== undefined) rule.met += 1;
    send(answering, rule === undefined ? await execute() : await rule.fault(execute, asked), method);
  }

  // The host that the client has signed is passed on.
  async #execute({ method, url, headers }: IncomingMessage, sent: Buffer): Promise<S3Answered> {
    const executing = request(this.#target + url, { method, headers, agent: this.#agent });
    executing.end(sent);
    const [response] = (await once(executing, 'response')) as [IncomingMessage];
    return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
  }
}

/** An answer of S3 that is an error. */
export function s3Refusal(status: number, code: string): S3Answered {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>for a test</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) };
}

export function refuseWith(status: number, code: string): S3Fault {
  return async () => s3Refusal(status, code);
}

/** The connection goes in the middle of the answer. */
export const cutAnswerInTheMiddle: S3Fault = async (execute) => {
  const answer = await execute();
  return { answer, cutAfter: Math.floor(answer.body.length / 2) };
};

/** The server holds the connection, and says nothing. */
export const saySilence: S3Fault = async () => 'silence';

function send(answering: ServerResponse, outcome: S3Outcome, method: string): void {
  if (outcome === 'silence') return;
  const answer = 'cutAfter' in outcome ? outcome.answer : outcome;
  if (answer === undefined || answering.destroyed) {
    answering.destroy();
    return;
  }
  const { 'transfer-encoding': _, ...headers } = answer.headers;
  const length = method === 'HEAD' ? {} : { 'content-length': answer.body.length };
  answering.writeHead(answer.status, { ...headers, ...length });
  if (!('cutAfter' in outcome)) answering.end(answer.body);
  else answering.write(answer.body.subarray(0, outcome.cutAfter), () => answering.destroy());
}
