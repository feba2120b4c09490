import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connections.ts';
import type { DirectAnswers } from './direct-answers.ts';
import { FrontConnection } from './front-connection.ts';
import type { RequestObserver } from './request-observer.ts';
import { refusal } from './unreadable-requests.ts';

/** Node keeps an idle connection so many milliseconds longer than it says. */
const KEPT_LONGER = 1_000;

export interface FrontParts {
  readonly direct: DirectAnswers;
  readonly observer: RequestObserver;
  readonly limits: ConnectionLimits;
  /** Milliseconds that a client may take nothing of an answer. */
  readonly idleTimeout: number;
}

/**
 * Answers ordinary requests for documents and bytes of resources without node:http, which takes as long for each as
 * all the rest. A connection begins here. When anything else comes than one whole plain head of such a request, the
 * connection is handed to node:http with it, and stays there.
 */
export class Front {
  readonly #parts: FrontParts;
  readonly #connections = new Set<FrontConnection>();
  readonly #checking: NodeJS.Timeout;
  #isStopping = false;

  /** Puts itself before the parser of a server of node:http. */
  constructor(server: Server, parts: FrontParts) {
    this.#parts = parts;
    const toNode = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket) =>
      this.#accept(socket, () => {
        for (const listener of toNode) listener.call(server, socket);
      }),
    );
    this.#checking = setInterval(() => this.#closeLate(), parts.limits.checkInterval).unref();
    server.once('close', () => clearInterval(this.#checking));
  }

  /** Closes connections that are kept without a request. */
  closeIdle(): void {
    for (const connection of this.#connections) {
      if (connection.isIdle && (connection.hasServed || this.#isStopping)) connection.close();
    }
  }

  /** From now on, connections are not kept. */
  stop(): void {
    this.#isStopping = true;
    this.closeIdle();
  }

  #accept(socket: Socket, toNode: () => void): void {
    const { direct, observer, idleTimeout, limits } = this.#parts;
    const keptSeconds = Math.floor(limits.keepAliveTimeout / 1000);
    const connection = new FrontConnection(socket, {
      direct,
      observer,
      idleTimeout,
      keptSeconds,
      isStopping: () => this.#isStopping,
      onLeave: () => this.#connections.delete(connection),
      toNode,
    });
    this.#connections.add(connection);
  }

  /** What node:http does for the connections that it has. */
  #closeLate(): void {
    const now = performance.now();
    const { headersTimeout, keepAliveTimeout } = this.#parts.limits;
    for (const connection of this.#connections) {
      const idle = connection.isIdle ? now - connection.idleSince : 0;
      if (connection.hasServed && idle > keepAliveTimeout + KEPT_LONGER) connection.close();
      if (!connection.hasServed && idle > headersTimeout) connection.close(refusal('ERR_HTTP_REQUEST_TIMEOUT'));
    }
  }
}
