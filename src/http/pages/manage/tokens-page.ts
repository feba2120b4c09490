import { SCOPE_FORMS } from '../../../access/scope.ts';
import type { TokenView } from '../../../api/token-view.ts';
import { confirmed } from '../parts/confirmed.ts';
import type { Frame } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { stackingTable } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';
import type { Attempt } from './set-pages.ts';

export interface TokensPage {
  readonly frame: Frame;
  /** Newest first. */
  readonly tokens: readonly TokenView[];
  readonly revoked?: TokenView | undefined;
  readonly attempt?: Attempt | undefined;
}

/** All tokens that were ever created, and the form that creates one. */
export function renderTokensPage({ frame, tokens, revoked, attempt }: TokensPage): string {
  const given = (name: string) => attempt?.form.get(name) ?? '';
  const main = html`<h1>Tokens</h1>
${revoked?.state === 'revoked' && html`<p class="notice good" role="status">The token ${revoked.name} was revoked. Every server refuses it within a second or so.</p>`}
${problemNotice(attempt?.problem)}
<p class="lead">Who may post to sets, read private ones, see metrics, or administer the source.</p>
${tokens.length === 0 ? html`<p class="quiet">There is no token yet. Make one below: programs that post need one, and so do people who administer the source from elsewhere.</p>` : tokenTable(tokens, frame)}
<h2>Make a token</h2>
<form class="fields" method="post" action="./tokens">
<p><label for="name">Name</label>
<input id="name" name="name" required maxlength="100" value="${given('name')}" autocomplete="off" aria-describedby="name-hint">
<span class="hint" id="name-hint">Whose it is, or what for: lists and logs show it.</span></p>
<p><label for="scopes">Scopes</label>
<textarea id="scopes" name="scopes" required rows="3" spellcheck="false" aria-describedby="scopes-hint">${given('scopes')}</textarea>
<span class="hint" id="scopes-hint">One in a line: ${SCOPE_FORMS}.</span></p>
<p><label for="expires">Expires</label>
<input id="expires" name="expires" value="${attempt === undefined ? '90d' : given('expires')}" maxlength="40" autocomplete="off" spellcheck="false" aria-describedby="expires-hint">
<span class="hint" id="expires-hint">After 90d, 12h, 2w or 1y, or on a date such as 2027-01-31; empty for never.</span></p>
<p><button>Make the token</button></p>
</form>`;
  return renderPage({ frame, title: 'Tokens', main, part: 'tokens' });
}

function tokenTable(tokens: readonly TokenView[], { now }: Frame): Html {
  return stackingTable('Tokens', tokens, [
    { name: 'Token', style: 'name', isHead: true, cell: ({ name, id }) => html`${name} <span class="id">${id}</span>` },
    { name: 'Scopes', style: 'name', cell: ({ scopes }) => scopes.join(', ') },
    { name: 'State', style: 'short', cell: ({ state }) => html`<span class="state ${STYLES[state]}">${state}</span>` },
    { name: 'Made', style: 'short', cell: ({ created }) => timeOf(created, now) },
    { name: 'Expires', style: 'short', cell: ({ expires }) => timeOf(expires, now) ?? 'never' },
    { name: 'Actions', cell: (token) => token.state === 'valid' && revokeForm(token) },
  ]);
}

const STYLES = { valid: 'live', expired: 'quiet', revoked: 'quiet' } as const;

/** A revoked token never becomes valid again. */
function revokeForm({ id, name }: TokenView): Html {
  return confirmed({
    text: 'Revoke',
    of: name,
    consequence: 'It never becomes valid again.',
    confirm: 'Revoke it',
    action: `./tokens/${id}/revoke`,
  });
}
