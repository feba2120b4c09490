import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { TidemarkError } from '../../core/errors.ts';
import { errorView } from '../pages/error-view.ts';
import { HttpError } from '../request/http-error.ts';
import { recordRoute } from '../request/observation.ts';
import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { errorHandler, limitUnwantedBody } from '../response/error-handler.ts';
import { limitIdleTime } from '../response/send-bytes.ts';
import { UnreadResponses } from '../response/unread-responses.ts';
import { speakTus, TUS_PATH } from '../routes/uploads/tus.ts';
import { addFinalSlash } from './add-final-slash.ts';
import type { Admit } from './admit.ts';
import { guard } from './guard.ts';
import type { IdentifySender } from './identify-sender.ts';
import { logAdministration } from './log-administration.ts';

interface ExpressParts {
  readonly routes: readonly Route[];
  readonly admit: Admit;
  readonly identifySender: IdentifySender;
  readonly logger: Logger;
}

/** The routes of route-table.ts behind their guard. */
export function createExpress(app: ServedApp, { routes, admit, identifySender, logger }: ExpressParts): Express {
  const server = express();
  for (const setting of ['etag', 'x-powered-by'] as const) server.disable(setting);
  for (const setting of ['case sensitive routing', 'strict routing'] as const) server.enable(setting);
  server.set('query parser', 'simple');
  const unread = new UnreadResponses();
  server.use((request, response, next) => {
    response.once('prefinish', () => {
      limitIdleTime(response, app.configuration.idleTimeoutMs);
      unread.add(response);
    });
    // The response is sent without waiting for a body that no route reads.
    response.once('finish', () => limitUnwantedBody(request));
    next();
  });
  server.use(TUS_PATH, speakTus);
  for (const route of routes)
    server[route.method](route.path, guard(admit, route), logAdministration(logger, route), route.handle);
  for (const [path, ofPath] of Map.groupBy(routes, ({ path }) => path)) {
    server.route(path).all((_request, response) => {
      recordRoute(response, path);
      refuseMethod(ofPath);
    });
  }
  addFinalSlash(server, routes);
  server.use((request) => {
    throw new TidemarkError('not-found', `there is nothing at ${request.path}`);
  });
  server.use(errorHandler(logger, errorView(app, identifySender)));
  return server;
}

function refuseMethod(routes: readonly Route[]): never {
  const allowed = routes.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const message = `use ${allowed.join(' or ')} here`;
  throw new HttpError(405, { code: 'method-not-allowed', message, headers: { Allow: allowed.join(', ') } });
}
