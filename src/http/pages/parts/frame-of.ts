import type { Request, Response } from 'express';
import { administers, may } from '../../../access/may.ts';
import { ANONYMOUS, type Principal } from '../../../access/principal.ts';
import { senderOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { type Frame, topOf, type Viewer } from './frame.ts';

type Parts = Pick<ServedApp, 'configuration' | 'tokens'>;

/** What a page needs to know of the request that it answers. */
export async function frameOf({ configuration, tokens }: Parts, request: Request, response: Response): Promise<Frame> {
  // A request that was refused has no sender.
  const sender = (senderOf(response) as Principal | undefined) ?? ANONYMOUS;
  const takesTokens = configuration.token !== undefined || (await tokens.areKept().catch(() => false));
  return {
    top: topOf(request.path),
    // What was posted cannot be asked for again.
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

/** A client on the server's own machine has no name where there are no tokens. */
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
