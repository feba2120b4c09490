import type { Request, Response } from 'express';
import { administers, may } from '../../../access/may.ts';
import { ANONYMOUS, type Principal } from '../../../access/principal.ts';
import { senderOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { type Frame, topOf, type Viewer } from './frame.ts';

type Parts = Pick<ServedApp, 'configuration' | 'access'>;

/** The frame of a page, from the request that it responds to. */
export async function frameOf({ configuration, access }: Parts, request: Request, response: Response): Promise<Frame> {
  // A request that was refused has no sender.
  const sender = (senderOf(response) as Principal | undefined) ?? ANONYMOUS;
  const takesTokens = configuration.token !== undefined || (await access.tokens.areKept().catch(() => false));
  return {
    top: topOf(request.path),
    // A posted form cannot be requested again.
    here: request.method === 'POST' ? '' : request.originalUrl.slice(1),
    baseUrl: configuration.baseUrl,
    viewer: viewerOf(sender, { takesTokens, hasSession: response.locals.hasSession === true }),
    now: Date.now(),
  };
}

interface Signing {
  readonly takesTokens: boolean;
  readonly hasSession: boolean;
}

function viewerOf(sender: Principal, { takesTokens, hasSession }: Signing): Viewer {
  return {
    name: nameOf(sender, takesTokens),
    isAdministrator: administers(sender),
    seesFigures: may(sender, 'read-metrics', undefined),
    hasSession,
    maySignIn: sender.kind === 'anonymous' && takesTokens,
  };
}

/** Without tokens, a client on the server's own machine has no name. */
function nameOf(sender: Principal, takesTokens: boolean): string | undefined {
  switch (sender.kind) {
    case 'anonymous':
      return undefined;
    case 'administrator':
      return takesTokens ? 'administrator' : undefined;
    case 'token':
      return sender.name;
  }
}
