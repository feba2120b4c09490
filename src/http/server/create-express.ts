import express, { type Express } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { AccessPolicy } from '../../access/access-policy.ts';
import type { SenderLimits } from '../../access/sender-limits.ts';
import { TidemarkError } from '../../core/errors.ts';
import { errorView } from '../pages/error-view.ts';
import { CONTENT_SECURITY_POLICY } from '../pages/parts/layout.ts';
import { HttpError } from '../request/http-error.ts';
import { noteRoute, requestIdOf } from '../request/observation.ts';
import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { errorHandler, limitUnwantedBody } from '../response/error-handler.ts';
import { routeTable } from '../routes/route-table.ts';
import { createAdmit } from './admit.ts';
import { guard } from './guard.ts';

export interface Serving {
  readonly policy: AccessPolicy;
  readonly limits: SenderLimits;
  readonly logger: Logger;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** The routes of route-table.ts behind their guard. */
export function createExpress(app: ServedApp, { policy, limits, logger, stopping }: Serving): Express {
  const server = express();
  for (const setting of ['etag', 'x-powered-by'] as const) server.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing'] as const) server.enable(setting);
  server.set('query parser', 'simple');
  server.use((request, response, next) => {
    const id = requestIdOf(response);
    if (id !== undefined) response.setHeader('X-Request-Id', id);
    // Who reads is answered without a look at the body that came with the request.
    response.once('finish', () => limitUnwantedBody(request));
    next();
  });
  server.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
      // Whether a name is to be reached by https for ever is for the proxy in front to say.
      strictTransportSecurity: false,
      // What only browsers of the past know, what the policy above says, and hints that gain nothing here: each header is paid for with every answer.
      originAgentCluster: false,
      xDnsPrefetchControl: false,
      xDownloadOptions: false,
      xFrameOptions: false,
      xPermittedCrossDomainPolicies: false,
      xXssProtection: false,
    }),
  );
  const table = routeTable(app, stopping);
  const admit = createAdmit(app, policy, limits);
  for (const route of table) server[route.method](route.path, guard(admit, route), route.handle);
  for (const [path, routes] of Map.groupBy(table, ({ path }) => path)) {
    server.all(path, (_request, response) => {
      noteRoute(response, path);
      refuseMethod(routes);
    });
  }
  server.use((request) => {
    throw new TidemarkError('not-found', `there is nothing at ${request.path}`);
  });
  server.use(errorHandler(logger, errorView(app)));
  return server;
}

function refuseMethod(routes: readonly Route[]): never {
  const allowed = routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const message = `use ${allowed.join(' or ')} here`;
  throw new HttpError(405, { code: 'method-not-allowed', message, headers: { Allow: allowed.join(', ') } });
}
