import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { accessPolicy } from '../access/access-policy.ts';
import { TidemarkError } from '../domain/errors.ts';
import { createExpress } from './create-express.ts';
import type { ServedApp } from './served-app.ts';

/** Milliseconds in which the head of a request must have come. */
const HEADERS_TIMEOUT = 20_000;
/** Milliseconds that a connection may be kept without a request; proxies in front close theirs earlier. */
const KEEP_ALIVE_TIMEOUT = 65_000;

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly logger?: Logger;
}

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, and resolves when those that run are answered. A stream that is being posted is answered early. */
  close(): Promise<void>;
}

/**
 * Serves the app over HTTP.
 * @throws TidemarkError `invalid` when the port is taken, or the host may not be used without a token
 */
export async function startServer(app: ServedApp, options: ServerOptions): Promise<RunningServer> {
  const { host, port, logger = pino({ level: app.configuration.logLevel }, pino.destination(2)) } = options;
  const policy = accessPolicy(app.configuration, host);
  const stopping = new AbortController();
  const server = createServer(createExpress(app, { policy, logger, stopping: stopping.signal }));
  // A stream of changes may go on for hours; posting-routes.ts limits how long it may be silent.
  server.requestTimeout = 0;
  server.headersTimeout = HEADERS_TIMEOUT;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
  await listen(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    close() {
      stopping.abort();
      return close(server);
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, host, port);
  }
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new TidemarkError(
        'invalid',
        `the port ${port} is taken: stop what uses it, or choose another with --port`,
        { field: 'port' },
        error,
      );
    case 'EACCES':
      return new TidemarkError(
        'invalid',
        `the port ${port} may not be used by this account: choose one above 1023`,
        { field: 'port' },
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new TidemarkError('invalid', `this machine has no address ${host}`, { field: 'host' }, error);
    default:
      return error;
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // A connection that was kept alive becomes idle when its last answer is out.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  try {
    await closed;
  } finally {
    clearInterval(sweep);
  }
}
