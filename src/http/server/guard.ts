import type { RequestHandler } from 'express';
import { meterBody } from '../request/body-meter.ts';
import { noteRoute } from '../request/observation.ts';
import { param, type Route } from '../request/route.ts';
import { makePrivate } from '../response/caching.ts';
import type { Admit } from './admit.ts';

/** Puts what was found out of a request where its route finds it: see `senderOf` and `setOf`. */
export function guard(admit: Admit, route: Route): RequestHandler {
  const hasSet = route.path.includes('/:set');
  return async (request, response, next) => {
    noteRoute(response, route.path);
    const slug = hasSet ? param(request, 'set') : undefined;
    const { headers, socket } = request;
    const { sender, set, takeBody } = await admit(route, { headers, address: socket.remoteAddress, slug });
    response.locals.sender = sender;
    noteRoute(response, route.path, sender);
    response.locals.set = set;
    if (set?.private === true) makePrivate(response);
    meterBody(request, takeBody);
    next();
  };
}
