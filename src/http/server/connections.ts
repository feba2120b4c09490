import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';

export interface ConnectionLimits {
  /** Milliseconds within which the head of a request must arrive, including the first one on a new connection. */
  readonly headersTimeout: number;
  /** Milliseconds for which a connection may stay open without a request. */
  readonly keepAliveTimeout: number;
  /** Milliseconds between two checks for late heads. */
  readonly checkInterval: number;
  /** Most concurrent connections; further ones are closed at once. */
  readonly most: number;
}

/** An idle connection takes about 15 kB of memory. */
const MOST_CONNECTIONS = 12_000;
/** Open files that are reserved for the store, documents and resources. */
const OTHER_FILES = 1_000;
/** Share of the most connections above which connections without a request are closed to make room. */
const CROWDED = 0.9;
/** Milliseconds between two times at which idle connections are closed to make room. */
const ROOM_INTERVAL = 250;

/** The default limits. Proxies in front close idle connections earlier, after 60 s. */
export function connectionLimits(): ConnectionLimits {
  return {
    headersTimeout: 20_000,
    keepAliveTimeout: 65_000,
    checkInterval: 5_000,
    most: Math.min(MOST_CONNECTIONS, mostConnections(openFilesLimit())),
  };
}

/** Each connection is an open file of the system. If few files may be open, half of them may be. */
function mostConnections(openFiles: number): number {
  return Math.max(openFiles - OTHER_FILES, Math.floor(openFiles / 2));
}

/** Number of files that this process may open; Node has raised its limit to what the system permits. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

interface LimitedConnections {
  readonly limits: ConnectionLimits;
  /** Closes connections without a request that node:http does not know. */
  readonly closeIdle: () => void;
}

/** Limits the connections of a server. The caller uses `checkInterval` when it creates the server. */
export function limitConnections(server: Server, { limits, closeIdle }: LimitedConnections): void {
  // A stream of changes may take hours; request-body.ts limits how long it may be silent.
  server.requestTimeout = 0;
  server.headersTimeout = limits.headersTimeout;
  server.keepAliveTimeout = limits.keepAliveTimeout;
  server.maxConnections = limits.most;
  let open = 0;
  let madeRoom = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open < limits.most * CROWDED || performance.now() - madeRoom < ROOM_INTERVAL) return;
    madeRoom = performance.now();
    server.closeIdleConnections();
    closeIdle();
  });
}
