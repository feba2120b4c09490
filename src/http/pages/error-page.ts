import { type Frame, signInLink } from './parts/frame.ts';
import { html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { sentence } from './parts/words.ts';

export interface Problem {
  readonly status: number;
  readonly message: string;
  /** Whether the error is temporary: the page should be requested again. */
  readonly passes: boolean;
}

/** A page that shows an error. */
export function renderErrorPage(frame: Frame, { status, message, passes }: Problem): string {
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
