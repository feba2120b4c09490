import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../access/access-policy.ts';
import { identify, refuseForeignPage } from '../access/identify.ts';
import { may } from '../access/may.ts';
import type { Principal } from '../access/principal.ts';
import { TidemarkError } from '../domain/errors.ts';
import { parseSlug, type ResourceSet } from '../domain/resource-set.ts';
import { HttpError } from './http-error.ts';
import type { Route } from './route.ts';
import type { ServedApp } from './served-app.ts';

/** What of a request decides whether it is let through. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection comes from. */
  readonly address: string | undefined;
  /** What the path has for `:set`, decoded; undefined for a route without. */
  readonly slug: string | undefined;
}

export interface Admission {
  readonly sender: Principal;
  /** The set that the path names. */
  readonly set: ResourceSet | undefined;
}

/**
 * Lets a request through to its route when its sender may do that, and looks up the set that it is about; throws what
 * error-handler.ts answers otherwise. Knows nothing of express.
 */
export type Admit = (route: Pick<Route, 'method' | 'action'>, arrival: Arrival) => Promise<Admission>;

export function createAdmit({ sets, configuration }: ServedApp, policy: AccessPolicy): Admit {
  return async ({ method, action }, { headers, slug }) => {
    const sender = identify(headers, policy);
    if (sender === undefined) throw unauthorized('the token is not valid');
    if (method !== 'get') refuseForeignPage(headers, configuration.baseUrl);
    const set = slug === undefined ? undefined : await sets.bySlug(parseSlug(slug));
    if (!may(sender, action, set)) throw refusal(policy);
    return { sender, set };
  };
}

function refusal({ mode }: AccessPolicy): Error {
  switch (mode) {
    case 'token':
      return unauthorized('this needs a token: send "Authorization: Bearer …"');
    case 'read-only':
      return new TidemarkError('forbidden', 'this server only lets read: start it with TIDEMARK_TOKEN to post');
    case 'local':
      return new TidemarkError(
        'forbidden',
        'without a token this is for requests from the same machine only: set TIDEMARK_TOKEN',
      );
  }
}

function unauthorized(message: string): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer realm="tidemark"' };
  return new HttpError(401, { code: 'unauthorized', message, headers });
}
