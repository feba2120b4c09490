import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';

export interface ConnectionLimits {
  /** Milliseconds in which the head of a request must have come, and the first one on a new connection. */
  readonly headersTimeout: number;
  /** Milliseconds that a connection may be kept without a request. */
  readonly keepAliveTimeout: number;
  /** Milliseconds between two checks of how late heads are. */
  readonly checkInterval: number;
  /** Connections at the same time; further ones are closed at once. */
  readonly most: number;
}

/** An idle connection takes some 15 kB of memory. */
const MOST_CONNECTIONS = 12_000;
/** Files that are left to the store, documents and resources. */
const OTHER_FILES = 1_000;
/** Of the most connections: above this, those that are kept without a request make room for others. */
const CROWDED = 0.9;
/** Milliseconds between two times that idle connections make room. */
const ROOM_INTERVAL = 250;

/** What holds where nothing else is said. Proxies in front close kept connections earlier, after 60 s. */
export function connectionLimits(): ConnectionLimits {
  return {
    headersTimeout: 20_000,
    keepAliveTimeout: 65_000,
    checkInterval: 5_000,
    most: Math.min(MOST_CONNECTIONS, mostConnections(openFilesLimit())),
  };
}

/** Each connection is an open file to the system. Few open files leave few connections, but half of them. */
function mostConnections(openFiles: number): number {
  return Math.max(openFiles - OTHER_FILES, Math.floor(openFiles / 2));
}

/** How many files this process may have open; Node has raised its limit to what the system permits. */
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
  /** Closes those connections without a request that node:http does not know. */
  readonly closeIdle: () => void;
}

/** Keeps the connections of a server within their limits. `checkInterval` is for the caller that creates the server. */
export function limitConnections(server: Server, { limits, closeIdle }: LimitedConnections): void {
  // A stream of changes may go on for hours; request-body.ts limits how long it may be silent.
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
