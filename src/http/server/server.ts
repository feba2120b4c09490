import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { accessPolicy } from '../../access/access-policy.ts';
import { SenderLimits } from '../../access/sender-limits.ts';
import type { Configuration } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { http } from '../../lib/http/node-http.ts';
import { createLogger } from '../../observe/logs/logger.ts';
import type { ServedApp } from '../request/served-app.ts';
import { routeTable } from '../routes/route-table.ts';
import { createAdmit } from './admit.ts';
import { type ConnectionLimits, connectionLimits, limitConnections } from './connections.ts';
import { createExpress } from './create-express.ts';
import { DirectAnswers } from './direct-answers.ts';
import { directRoutes } from './direct-routes.ts';
import { HttpFront } from './front.ts';
import { createIdentifySender } from './identify-sender.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { RequestObserver } from './request-observer.ts';
import { answerUnreadable } from './unreadable-requests.ts';
import { withObservation } from './with-observation.ts';

/** Milliseconds for running requests to end. */
const CLOSE_TIMEOUT_MS = 20_000;

export interface ServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly logger?: Logger;
  /** Receives a line for each request. */
  readonly accessLog?: Logger | undefined;
  /** For tests. */
  readonly connections?: Partial<ConnectionLimits>;
}

export interface RunningServer {
  /** The address of the server. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more requests, and resolves when the running ones have ended. A stream that is being posted is ended
   * early.
   */
  close(): Promise<void>;
  /** The same, but waits for at most 20 seconds. */
  closeInTime(): Promise<void>;
}

/**
 * Serves the app over HTTP.
 * @throws TidemarkError `invalid` when the port is taken, or the host may not be used without a token
 */
export async function startServer(app: ServedApp, options: ServerOptions): Promise<RunningServer> {
  const { logger = createLogger(app.configuration.logLevel), accessLog } = options;
  const policy = accessPolicy(app.configuration, options.host, await app.access.tokens.countValid());
  const limits = new SenderLimits(app.configuration);
  const stopping = new AbortController();
  const routes = routeTable(app, stopping.signal);
  const admit = createAdmit(app, policy, limits);
  const direct = new DirectAnswers({ routes, admit, logger });
  const identifySender = createIdentifySender(app.access, policy);
  const express = createExpress(app, { routes, admit, identifySender, logger });
  const answer = directRoutes({ direct, express, idleTimeoutMs: app.configuration.idleTimeoutMs });
  const observer = new RequestObserver({ metrics: app.metrics.http, accessLog });
  const servers = await listenOnPorts(app.configuration, options, (limits) => {
    const server = http.createServer(
      { connectionsCheckingInterval: limits.checkInterval },
      oneAtATime(withObservation(answer, observer)),
    );
    const front = new HttpFront(server, { direct, observer, limits, idleTimeoutMs: app.configuration.idleTimeoutMs });
    limitConnections(server, { limits, closeIdle: () => front.closeIdle() });
    answerUnreadable(server);
    return { server, front };
  });
  app.metrics.live.start();
  const address = servers.at(-1)!.server.address() as AddressInfo;
  const closeServer = async () => {
    stopping.abort();
    app.metrics.live.stop();
    await Promise.all(servers.map(close));
  };
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    port: address.port,
    close: closeServer,
    closeInTime: () => withTimeout(closeServer(), CLOSE_TIMEOUT_MS, () => {}),
  };
}

interface Listening {
  readonly server: Server;
  readonly front: HttpFront;
}

/** Listens on the own port, if there is one, and on the port of the options: that server is the last one. */
async function listenOnPorts(
  { ownPort, sharePort }: Pick<Configuration, 'ownPort' | 'sharePort'>,
  { host, port, connections }: ServerOptions,
  create: (limits: ConnectionLimits) => Listening,
): Promise<readonly Listening[]> {
  const addresses = [...(ownPort === undefined ? [] : [{ host, port: ownPort }]), { host, port, reusePort: sharePort }];
  const limits = { ...connectionLimits(), ...connections };
  const servers: Listening[] = [];
  try {
    for (const address of addresses) {
      const listening = create(limits);
      const { server } = listening;
      server.listen(address);
      await once(server, 'listening').catch((error) => Promise.reject(listenProblem(error, host, address.port)));
      servers.push(listening);
    }
  } catch (error) {
    await Promise.all(servers.map(close));
    throw error;
  }
  return servers;
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
        'several servers cannot share a port on this system: leave out --share-port',
        { field: 'sharePort' },
        error,
      );
    default:
      return error;
  }
}

async function close({ server, front }: Listening): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  front.stop();
  // A connection that was kept alive becomes idle when its last response is sent.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    front.closeIdle();
  }, 50);
  try {
    await closed;
  } finally {
    clearInterval(sweep);
  }
}
