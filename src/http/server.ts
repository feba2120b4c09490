import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { accessPolicy } from '../access/access-policy.ts';
import { SenderLimits } from '../access/sender-limits.ts';
import { TidemarkError } from '../domain/errors.ts';
import { createLogger } from '../logs/logger.ts';
import { type ConnectionLimits, connectionLimits, limitConnections } from './connections.ts';
import { createExpress } from './create-express.ts';
import { quickListener } from './quick-listener.ts';
import type { ServedApp } from './served-app.ts';
import { answerUnreadable } from './unreadable-requests.ts';
import { withObservation } from './with-observation.ts';

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly logger?: Logger;
  /** Takes a line for each request. */
  readonly accessLog?: Logger | undefined;
  /** For tests. */
  readonly connections?: Partial<ConnectionLimits>;
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
  const { host, port, logger = createLogger(app.configuration.logLevel), accessLog } = options;
  const policy = accessPolicy(app.configuration, host, await app.tokens.countValid());
  const limits = new SenderLimits(app.configuration.limits);
  const stopping = new AbortController();
  const answer = quickListener(app, {
    policy,
    limits,
    next: createExpress(app, { policy, limits, logger, stopping: stopping.signal }),
  });
  const connections = { ...connectionLimits(), ...options.connections };
  const server = createServer(
    { connectionsCheckingInterval: connections.checkInterval },
    withObservation(answer, { metrics: app.metrics.http, accessLog }),
  );
  limitConnections(server, connections);
  answerUnreadable(server);
  await listen(server, host, port);
  app.metrics.live.start();
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    close() {
      stopping.abort();
      app.metrics.live.stop();
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
