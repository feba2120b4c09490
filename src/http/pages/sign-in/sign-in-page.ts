import type { Frame } from '../parts/frame.ts';
import { html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';

export interface SignInPage {
  readonly frame: Frame;
  /** The page to show afterwards, relative to the base URL. */
  readonly to: string;
  /** Whether the source has tokens. */
  readonly hasTokens: boolean;
  /** The error of the last attempt. */
  readonly problem?: string | undefined;
  /** Whether a form was sent without being signed in, such as after a session has ended. */
  readonly isUnsent?: boolean;
}

/** The form that requests a token. */
export function renderSignInPage({ frame, to, hasTokens, problem, isUnsent = false }: SignInPage): string {
  const form = html`<form class="fields" method="post" action="./sign-in">
<input type="hidden" name="to" value="${to}">
<input type="text" name="username" value="token" autocomplete="username" hidden>
<p><label for="token">Token</label>
<input id="token" name="token" type="password" required maxlength="4096" autocomplete="current-password" autocapitalize="none" spellcheck="false"${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}></p>
<p><button>Sign in</button></p>
</form>
<p class="quiet">An administrator makes tokens, with <code>tidemark tokens create</code> or on the page of tokens. You stay signed in for 12 hours in this browser.</p>`;
  const none = html`<p class="notice">This source has no token yet. Make one with <code>tidemark tokens create --name NAME --scope administer</code>. Until then, only programs on its own machine may change anything.</p>`;
  const main = html`<h1>Sign in</h1>
${isUnsent && html`<p class="notice" role="status">Nothing was changed, because you are not signed in, or no longer. Sign in, and send the form again.</p>`}
${problem !== undefined && html`<div class="notice bad" role="alert"><p id="problem">${problem}</p></div>`}
${hasTokens ? form : none}`;
  return renderPage({ frame, title: 'Sign in', main });
}
