import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connections.ts';
import type { DirectAnswers } from './direct-answers.ts';
import { FrontConnection } from './front-connection.ts';
import type { RequestObserver } from './request-observer.ts';
import { refusal } from './unreadable-requests.ts';

/** Milliseconds by which Node keeps an idle connection longer than it states. */
const KEPT_LONGER = 1_000;

interface FrontParts {
  readonly direct: DirectAnswers;
  readonly observer: RequestObserver;
  readonly limits: ConnectionLimits;
  /** Milliseconds for which a client may read nothing of a response. */
  readonly idleTimeoutMs: number;
}

/**
 * Handles ordinary requests for documents and bytes of resources without node:http, which takes as long for each as all
 * the rest. A connection starts here. When anything other than one whole plain head of such a request arrives, the
 * connection is transferred to node:http, and stays there.
 */
export class HttpFront {
  readonly #parts: FrontParts;
  readonly #connections = new Set<FrontConnection>();
  readonly #checking: NodeJS.Timeout;
  #isStopping = false;

  /** Inserts itself before the parser of a server of node:http. */
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

  /** Closes connections without a request. */
  closeIdle(): void {
    for (const connection of this.#connections) {
      if (connection.isIdle && (connection.hasServed || this.#isStopping)) connection.close();
    }
  }

  /** From now on, connections are closed after their response. */
  stop(): void {
    this.#isStopping = true;
    this.closeIdle();
  }

  #accept(socket: Socket, toNode: () => void): void {
    const { direct, observer, idleTimeoutMs, limits } = this.#parts;
    const keptSeconds = Math.floor(limits.keepAliveTimeout / 1000);
    const connection = new FrontConnection(socket, {
      direct,
      observer,
      idleTimeoutMs,
      keptSeconds,
      isStopping: () => this.#isStopping,
      onLeave: () => this.#connections.delete(connection),
      toNode,
    });
    this.#connections.add(connection);
  }

  /** Does what node:http does for its own connections. */
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
