import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { param, type RoutedResponse } from '../request/admitted.ts';
import { meterBody } from '../request/body-meter.ts';
import { recordRoute } from '../request/observation.ts';
import type { Route } from '../request/route.ts';
import { makePrivate } from '../response/caching.ts';
import type { Admit } from './admit.ts';

/** Makes a function that admits requests to a route of express. */
export function guard(admit: Admit, route: Route): RequestHandler {
  const hasSet = route.path.includes('/:set');
  return async (request, response, next) => {
    await admitTo({ admit, route, slug: hasSet ? param(request, 'set') : undefined }, request, response);
    next();
  };
}

interface Entrance {
  readonly admit: Admit;
  readonly route: Route;
  /** The path's value for `:set`, decoded; undefined for a route without. */
  readonly slug: string | undefined;
}

/** Admits a request to its route, and stores what was found out about it: see `senderOf` and `setOf`. */
export async function admitTo(
  { admit, route, slug }: Entrance,
  request: IncomingMessage,
  response: RoutedResponse,
): Promise<void> {
  recordRoute(response, route.path);
  const { headers, socket } = request;
  const { sender, set, takeBody } = await admit(route, { headers, address: socket.remoteAddress, slug });
  const { locals } = response;
  locals.sender = sender;
  recordRoute(response, route.path, sender);
  locals.set = set;
  if (set?.private === true) makePrivate(response);
  meterBody(request, takeBody);
}
