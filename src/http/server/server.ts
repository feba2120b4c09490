import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createProbe } from 'node:net';
import type { Logger } from 'pino';
import { accessPolicy } from '../../access/access-policy.ts';
import { SenderLimits } from '../../access/sender-limits.ts';
import { TidemarkError } from '../../core/errors.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { createLogger } from '../../observe/logs/logger.ts';
import type { ServedApp } from '../request/served-app.ts';
import { type ConnectionLimits, connectionLimits, limitConnections } from './connections.ts';
import { createExpress } from './create-express.ts';
import { answerUnreadable } from './unreadable-requests.ts';
import { withObservation } from './with-observation.ts';

/** For running requests to end. */
const CLOSE_TIMEOUT_MS = 20_000;

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly logger?: Logger;
  /** Takes a line for each request. */
  readonly accessLog?: Logger | undefined;
  /** How much senders may ask; without it that of the settings. */
  readonly limits?: SenderLimits;
  /** Whether several processes listen on the port, and which this one is: the first finds out whether it is free. */
  readonly sharing?: 'first' | 'further' | undefined;
  /** For tests. */
  readonly connections?: Partial<ConnectionLimits>;
}

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, and resolves when those that run are answered. A stream that is being posted is answered early. */
  close(): Promise<void>;
  /** The same, but it waits for 20 seconds at most. */
  closeInTime(): Promise<void>;
}

/**
 * Serves the app over HTTP.
 * @throws TidemarkError `invalid` when the port is taken, or the host may not be used without a token
 */
export async function startServer(app: ServedApp, options: ServerOptions): Promise<RunningServer> {
  const { logger = createLogger(app.configuration.logLevel), accessLog } = options;
  const policy = accessPolicy(app.configuration, options.host, await app.tokens.countValid());
  const limits = options.limits ?? new SenderLimits(app.configuration.limits);
  const stopping = new AbortController();
  const answer = createExpress(app, { policy, limits, logger, stopping: stopping.signal });
  const connections = { ...connectionLimits(), ...options.connections };
  const server = createServer(
    { connectionsCheckingInterval: connections.checkInterval },
    withObservation(answer, { metrics: app.metrics.http, accessLog }),
  );
  limitConnections(server, connections);
  answerUnreadable(server);
  await listen(server, options);
  app.metrics.live.start();
  const address = server.address() as AddressInfo;
  const closeServer = () => {
    stopping.abort();
    app.metrics.live.stop();
    return close(server);
  };
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    close: closeServer,
    closeInTime: () => withTimeout(closeServer(), CLOSE_TIMEOUT_MS, () => {}),
  };
}

async function listen(server: Server, { host, port, sharing }: ServerOptions): Promise<void> {
  try {
    // Who shares a port with us does not notice: another program of this account, which shares it too, would not either.
    if (sharing === 'first') await requireFree(host, port);
    server.listen({ host, port, reusePort: sharing !== undefined });
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, host, port);
  }
}

async function requireFree(host: string, port: number): Promise<void> {
  const probe = createProbe().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
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
    case 'ENOTSUP':
    case 'EINVAL':
      return new TidemarkError(
        'invalid',
        'several processes cannot share a port on this system: leave out --processes',
        { field: 'processes' },
        error,
      );
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
