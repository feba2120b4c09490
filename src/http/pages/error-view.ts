import type { ServedApp } from '../request/served-app.ts';
import type { ShowErrorPage } from '../response/error-handler.ts';
import { renderErrorPage } from './error-page.ts';
import { frameOf } from './parts/frame-of.ts';
import { sendPage } from './parts/send-page.ts';

/** Shows what could not be shown, and why; of an unexpected error, only that there was one. */
export function errorView(app: ServedApp): ShowErrorPage {
  return (request, response, { status, body: { error } }) => {
    const problem = { status, message: String(error.message), passes: error.code === 'not-ready' };
    void frameOf(app, request, response).then((frame) => {
      response.vary('Accept');
      if (!response.destroyed) sendPage(response, renderErrorPage(frame, problem), status);
    });
  };
}
