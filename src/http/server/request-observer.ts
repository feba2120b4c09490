import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Principal } from '../../access/principal.ts';
import type { HttpMetrics } from '../../observe/metrics/http-metrics.ts';
import { loggedPath } from '../request/logged-path.ts';
import type { Observation } from '../request/observation.ts';

interface Observers {
  readonly metrics: HttpMetrics;
  /** Receives a line for each request, at `debug` for one that only reads; none are logged without it. */
  readonly accessLog: Logger | undefined;
}

/** A request that got a response, or whose client disconnected. */
interface EndedRequest {
  readonly method: string | undefined;
  readonly url: string;
  /** 0 when no response was sent. */
  readonly status: number;
  /** Bytes on the wire. */
  readonly sent: number;
  readonly isAborted: boolean;
}

/** Measures and logs requests, however they are handled. */
export class RequestObserver {
  readonly #metrics: HttpMetrics;
  readonly #log: Logger | undefined;
  /** By connection: the bytes of its previous requests. */
  readonly #counted = new WeakMap<Socket, number>();

  constructor({ metrics, accessLog }: Observers) {
    this.#metrics = metrics;
    this.#log = accessLog;
  }

  begin(): void {
    this.#metrics.begin();
  }

  end(observation: Observation, { method, url, status, sent, isAborted }: EndedRequest): void {
    const { id, began, route, sender } = observation;
    const seconds = (performance.now() - began) / 1000;
    this.#metrics.end({ route, method, status, seconds, sent });
    const level = isPlainRead({ method, status, isAborted }) ? 'debug' : 'info';
    // A line below the level of the log is not even built.
    if (!this.#log?.isLevelEnabled(level)) return;
    this.#log[level](
      {
        requestId: id,
        method,
        path: loggedPath(url),
        route,
        status,
        bytes: sent,
        ms: Math.round(seconds * 1e6) / 1000,
        sender: sender && nameOf(sender),
        ...(isAborted && { aborted: true }),
      },
      'request',
    );
  }

  /** Number of bytes written to a connection since the last call. */
  bytesSince(socket: Socket): number {
    const all = socket.bytesWritten;
    const sent = all - (this.#counted.get(socket) ?? 0);
    this.#counted.set(socket, all);
    return sent;
  }
}

/** Whether a request changed nothing and failed in nothing: a copy of a set makes one for each resource. */
function isPlainRead({ method, status, isAborted }: Pick<EndedRequest, 'method' | 'status' | 'isAborted'>): boolean {
  return (method === 'GET' || method === 'HEAD') && status >= 200 && status < 400 && !isAborted;
}

/** The sender, without secrets. */
function nameOf(sender: Principal): string {
  return sender.kind === 'token' ? `token ${sender.id}` : sender.kind;
}
