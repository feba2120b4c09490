import type { RequestHandler } from 'express';
import { param } from '../request/admitted.ts';
import { meterBody } from '../request/body-meter.ts';
import { asBusy } from '../request/http-error.ts';
import { recordRoute } from '../request/observation.ts';
import type { Route } from '../request/route.ts';
import { makePrivate } from '../response/caching.ts';
import type { Admit } from './admit.ts';

/** Makes a function that admits requests to a route of express, and stores the results on the response. */
export function guard(admit: Admit, route: Route): RequestHandler {
  const hasSet = route.path.includes('/:set');
  const hasOrganization = route.path.includes('/:org');
  const hasCollection = route.path.includes('/:collection');
  const hasDataset = route.path.includes('/:dataset');
  return async (request, response, next) => {
    recordRoute(response, route.path);
    const { headers, socket } = request;
    const slug = hasSet ? param(request, 'set') : route.newSetOf?.(request);
    const organization = hasOrganization ? param(request, 'org') : undefined;
    const collection = hasCollection ? param(request, 'collection') : undefined;
    const dataset = hasDataset ? param(request, 'dataset') : undefined;
    const arrival = { headers, address: socket.remoteAddress, slug, organization, collection, dataset };
    const { sender, hasSession, takeBody, ...found } = await admit(route, arrival).catch((error) => {
      throw route.operation.isBusyWith503 ? asBusy(error) : error;
    });
    recordRoute(response, route.path, sender);
    response.locals.sender = sender;
    response.locals.hasSession = hasSession;
    response.locals.set = found.set;
    response.locals.organization = found.organization;
    response.locals.collection = found.collection;
    response.locals.dataset = found.dataset;
    if (found.set?.private === true || hasOrganization || hasCollection) makePrivate(response);
    meterBody(request, takeBody);
    next();
  };
}
