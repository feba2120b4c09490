import type { ShowErrorPage } from '../http/error-handler.ts';
import type { ServedApp } from '../http/served-app.ts';
import { renderErrorPage } from './error-page.ts';
import { frameOf } from './frame-of.ts';
import { sendPage } from './send-page.ts';

/** Tells a person what could not be shown, and why; of an error that nobody expected, only that there was one. */
export function errorView(app: ServedApp): ShowErrorPage {
  return (request, response, { status, body: { error } }) => {
    const problem = { status, message: String(error.message), passes: error.code === 'not-ready' };
    void frameOf(app, request, response).then((frame) => {
      response.vary('Accept');
      if (!response.destroyed) sendPage(response, renderErrorPage(frame, problem), status);
    });
  };
}
