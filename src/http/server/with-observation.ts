import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Principal } from '../../access/principal.ts';
import type { HttpMetrics } from '../../observe/metrics/http-metrics.ts';
import { loggedPath } from '../request/logged-path.ts';
import { type Observation, observe } from '../request/observation.ts';

export interface Observers {
  readonly metrics: HttpMetrics;
  /** A line for each request; none without it. */
  readonly accessLog: Logger | undefined;
}

/** How many bytes of a connection belong to the requests before. */
const counted = new WeakMap<Socket, number>();

/**
 * Gives each request an id, measures how long it takes, and logs it. It wraps everything that answers, so that
 * nothing is left out: requests that were refused, and those whose client went away.
 */
export function withObservation(listener: RequestListener, { metrics, accessLog }: Observers): RequestListener {
  // A line below the level of the log is not made.
  const log = accessLog?.isLevelEnabled('info') ? accessLog : undefined;
  return (request, response) => {
    const observation = observe(request, response);
    const { socket } = request;
    metrics.begin();
    response.on('close', () => {
      const ended: Ended = {
        // What was cut off before anything was answered has no status.
        status: response.headersSent ? response.statusCode : 0,
        seconds: (performance.now() - observation.began) / 1000,
        sent: bytesSince(socket),
      };
      metrics.end({ route: observation.route, method: request.method, ...ended });
      log?.info(lineOf(request, response, { ...observation, ...ended }), 'request');
    });
    listener(request, response);
  };
}

interface Ended {
  readonly status: number;
  readonly seconds: number;
  readonly sent: number;
}

function bytesSince(socket: Socket): number {
  const all = socket.bytesWritten;
  const sent = all - (counted.get(socket) ?? 0);
  counted.set(socket, all);
  return sent;
}

function lineOf(request: IncomingMessage, response: ServerResponse, ended: Observation & Ended): object {
  const { id, route, sender, status, seconds, sent } = ended;
  return {
    requestId: id,
    method: request.method,
    path: loggedPath(request.url ?? ''),
    route,
    status,
    bytes: sent,
    ms: Math.round(seconds * 1e6) / 1000,
    sender: sender && nameOf(sender),
    ...(!response.writableFinished && { aborted: true }),
  };
}

/** Who sent it, by what is no secret. */
function nameOf(sender: Principal): string {
  return sender.kind === 'token' ? `token ${sender.id}` : sender.kind;
}
