import type { RequestHandler } from 'express';
import type { AccessPolicy } from '../access/access-policy.ts';
import { identify, refuseForeignPage } from '../access/identify.ts';
import { may } from '../access/may.ts';
import { TidemarkError } from '../domain/errors.ts';
import { parseSlug } from '../domain/resource-set.ts';
import { changesFormat } from './body-kind.ts';
import { HttpError } from './http-error.ts';
import { param, type Route } from './route.ts';
import type { ServedApp } from './served-app.ts';

/** Lets a request through to its route when its sender may do that, and looks up the set that it is about. */
export function guard({ sets, configuration }: ServedApp, policy: AccessPolicy) {
  return ({ method, path, action, body }: Route): RequestHandler =>
    async (request, response, next) => {
      const sender = identify(request.headers, policy);
      if (sender === undefined) throw unauthorized('the token is not valid');
      if (method === 'post') refuseForeignPage(request.headers, configuration.baseUrl);
      const set = path.includes('/:set') ? await sets.bySlug(parseSlug(param(request, 'set'))) : undefined;
      if (!may(sender, action, set)) throw refusal(policy);
      if (body === 'changes') changesFormat(request.headers);
      response.locals.set = set;
      next();
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
