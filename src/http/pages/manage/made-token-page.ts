import type { TokenView } from '../../../api/token-view.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { facts } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';

export interface MadeToken {
  readonly token: string;
  readonly view: TokenView;
}

/** The page that shows a new token. @param made undefined when it was shown before: it is stored nowhere */
export function renderMadeTokenPage(frame: Frame, made: MadeToken | undefined): string {
  const main = html`<nav class="crumbs" aria-label="Where this page is"><ol><li><a href="../tokens">Tokens</a></li></ol></nav>
<h1>New token</h1>
${made === undefined ? html`<p class="notice" role="status">A new token is shown once, and cannot be shown again. If it was not copied, revoke it on the page of <a href="../tokens">tokens</a>, and make another.</p>` : shown(made, frame)}`;
  return renderPage({ frame, title: 'New token', main, part: 'tokens' });
}

function shown({ token, view: { name, scopes, expires } }: MadeToken, { now, top, viewer }: Frame): Html {
  return html`<div class="notice good" role="status"><p>The token ${name} was made. Copy it now: it is stored nowhere, and is not shown again, not even when this page is loaded again.</p>
<pre tabindex="0"><code class="copied">${token}</code></pre></div>
${facts([
  ['Scopes', scopes.join(', ')],
  ['Expires', timeOf(expires, now) ?? 'never'],
])}
${viewer.maySignIn && html`<p class="more">It is the first token: from now on, posting and administering need one. <a href="${top}sign-in?to=tokens">Sign in</a> with a token of the scope administer.</p>`}`;
}
