import type { Request, Response } from 'express';
import { administers, may } from '../../../access/may.ts';
import { ANONYMOUS, type Principal } from '../../../access/principal.ts';
import { senderOf } from '../../request/admitted.ts';
import type { ServedApp } from '../../request/served-app.ts';

/** The reader of a page. */
export interface Viewer {
  /** The name of the reader on pages; undefined for an anonymous one. */
  readonly name: string | undefined;
  readonly isAdministrator: boolean;
  /** Whether the reader may see the figures of the server. */
  readonly seesFigures: boolean;
  /** Whether the reader manages any organization, and may make tokens. */
  readonly managesAny: boolean;
  /** Whether there are datasets that the reader may read, or may add. */
  readonly seesDatasets: boolean;
  /** Whether the reader can sign out. */
  readonly hasSession: boolean;
  /** Whether showing a token here could change anything. */
  readonly maySignIn: boolean;
}

/** The common input of all pages. */
export interface Frame {
  /**
   * The relative path from the page to the base URL, since the base URL may have a path that only a proxy in front
   * knows. Ends with a slash.
   */
  readonly top: string;
  /** The page's own address, relative to the base URL; empty for the base URL itself. */
  readonly here: string;
  /** Ends without a slash. */
  readonly baseUrl: string;
  readonly viewer: Viewer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The relative path up to the base URL. @param path as the server receives it, beginning with a slash */
export function topOf(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

/**
 * A URI as a link on a page. A URI of this source becomes relative, since the reader may use another host name than the
 * public one.
 */
export function linkTo(uri: string, { top, baseUrl }: Pick<Frame, 'top' | 'baseUrl'>): string {
  return uri.startsWith(`${baseUrl}/`) ? top + uri.slice(baseUrl.length + 1) : uri;
}

/** The address of the sign-in form, which leads back to the page. */
export function signInLink({ top, here }: Pick<Frame, 'top' | 'here'>): string {
  if (here.startsWith('sign-in')) return top + here;
  return here === '' ? `${top}sign-in` : `${top}sign-in?${new URLSearchParams({ to: here })}`;
}

type Parts = Pick<ServedApp, 'configuration' | 'access' | 'sets'>;

/** The frame of a page, from the request that it responds to. */
export async function frameOf(parts: Parts, request: Request, response: Response): Promise<Frame> {
  const { configuration, access } = parts;
  // A request that was refused has no sender.
  const sender = (senderOf(response) as Principal | undefined) ?? ANONYMOUS;
  const takesTokens = configuration.token !== undefined || (await access.tokens.areKept().catch(() => false));
  return {
    top: topOf(request.path),
    // A posted form cannot be requested again.
    here: request.method === 'POST' ? '' : request.originalUrl.slice(1),
    baseUrl: configuration.baseUrl,
    viewer: viewerOf(sender, {
      takesTokens,
      hasSession: response.locals.hasSession === true,
      seesDatasets: administers(sender) || (await hasDatasets(parts, sender).catch(() => false)),
    }),
    now: Date.now(),
  };
}

/** The set of datasets is made with the first request. */
async function hasDatasets({ sets }: Pick<Parts, 'sets'>, sender: Principal): Promise<boolean> {
  return (await sets.list()).some((set) => set.origin.kind === 'datasets' && may(sender, 'read-state', set));
}

interface Signing extends Pick<Viewer, 'hasSession' | 'seesDatasets'> {
  readonly takesTokens: boolean;
}

function viewerOf(sender: Principal, { takesTokens, ...known }: Signing): Viewer {
  return {
    name: nameOf(sender, takesTokens),
    isAdministrator: administers(sender),
    seesFigures: may(sender, 'read-metrics', undefined),
    managesAny: may(sender, 'manage-any', undefined),
    ...known,
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
