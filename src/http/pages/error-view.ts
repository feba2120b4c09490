import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Locals } from '../request/admitted.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { ShowErrorPage } from '../response/error-handler.ts';
import { renderErrorPage } from './error-page.ts';
import { signInLink, topOf } from './parts/frame.ts';
import { frameOf } from './parts/frame-of.ts';
import { sendPage } from './parts/send-page.ts';

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

  return (request, response, { status, body: { error } }) => {
    // A browser would ask its user for name and password. With wrong credentials it may do so, to send others.
    if (status === 401 && request.headers.authorization === undefined) {
      response.removeHeader('WWW-Authenticate');
      response.vary('Accept').redirect(303, pathToSignIn(request));
      return;
    }
    const problem = { status, message: String(error.message), passes: error.code === 'not-ready' };
    void frameFor(request, response, status).then((frame) => {
      response.vary('Accept');
      if (!response.destroyed) sendPage(response, renderErrorPage(frame, problem), status);
    });
  };
}

/** The address of the sign-in form. It leads back only to a GET, since a form cannot be posted again automatically. */
function pathToSignIn({ method, path, originalUrl }: Request): string {
  const here = method === 'GET' || method === 'HEAD' ? originalUrl.slice(1) : '';
  return signInLink({ top: topOf(path), here });
}
