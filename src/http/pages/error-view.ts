import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Locals } from '../request/admitted.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { ShowErrorPage } from '../response/error-handler.ts';
import { type Frame, frameOf, signInLink, topOf } from './parts/frame.ts';
import { html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { sendPage } from './parts/send-page.ts';
import { sentence } from './parts/words.ts';

type IdentifySender = (headers: IncomingHttpHeaders) => Promise<Pick<Locals, 'sender' | 'hasSession'>>;

/** Shows an error as a page; for an unexpected error, without details. */
export function errorView(app: ServedApp, identifySender: IdentifySender): ShowErrorPage {
  /** The page has the header of its viewer even when the request was not admitted, or matches no route. */
  async function frameFor(request: Request, response: Response, status: number) {
    if (response.locals.sender === undefined && status < 500) {
      const { sender, hasSession } = await identifySender(request.headers).catch(() => ({}) as Locals);
      Object.assign(response.locals, { sender, hasSession });
    }
    return frameOf(app, request, response);
  }

  return async (request, response, { status, body: { error } }) => {
    // A browser would ask its user for name and password. With wrong credentials it may do so, to send others.
    if (status === 401 && request.headers.authorization === undefined) {
      response.removeHeader('WWW-Authenticate');
      response.vary('Accept').redirect(303, pathToSignIn(request, app.configuration.baseUrl));
      return;
    }
    const problem = { status, message: String(error.message), passes: error.code === 'not-ready' };
    const page = renderErrorPage(await frameFor(request, response, status), problem);
    response.vary('Accept');
    if (!response.destroyed) sendPage(response, page, status);
  };
}

/** The address of the sign-in form. It leads back to the page; after a form, to the page of the form. */
function pathToSignIn(request: Request, baseUrl: string): string {
  const { method, path, originalUrl } = request;
  const top = topOf(path);
  if (method === 'GET' || method === 'HEAD') return signInLink({ top, here: originalUrl.slice(1) });
  return `${top}sign-in?${new URLSearchParams({ to: pageOfForm(request, baseUrl), unsent: 'form' })}`;
}

/** The page that sent a form, relative to the base URL; empty when the browser does not name it. */
function pageOfForm({ headers: { referer = '', host = '' } }: Request, baseUrl: string): string {
  if (referer.startsWith(`${baseUrl}/`)) return referer.slice(baseUrl.length + 1);
  const from = URL.canParse(referer) ? new URL(referer) : undefined;
  return from?.host === host.toLowerCase() ? `${from.pathname}${from.search}`.slice(1) : '';
}

export interface Problem {
  readonly status: number;
  readonly message: string;
  /** Whether the error is temporary: the page should be requested again. */
  readonly passes: boolean;
}

/** A page that shows an error. */
function renderErrorPage(frame: Frame, { status, message, passes }: Problem): string {
  const title = titleOf(status, passes);
  const main = html`<h1>${title}</h1>
<p class="lead" role="status">${sentence(message)}</p>
${status === 401 && frame.viewer.maySignIn && html`<p><a href="${signInLink(frame)}">Sign in</a></p>`}
<p><a href="${frame.top}">All sets</a></p>`;
  return renderPage({ frame, title, main, again: passes ? 5 : undefined });
}

function titleOf(status: number, passes: boolean): string {
  if (passes) return 'Not yet';
  switch (status) {
    case 401:
      return 'Please sign in';
    case 403:
      return 'Not allowed';
    case 404:
      return 'Not found';
    case 410:
      return 'No longer here';
    case 503:
      return 'Not available just now';
    default:
      return status >= 500 ? 'Something went wrong' : 'This request is not valid';
  }
}
