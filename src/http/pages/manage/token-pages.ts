import type { Request, Response } from 'express';
import * as z from 'zod';
import { parseExpiry } from '../../../access/expiry.ts';
import { grantedToken, maySeeToken } from '../../../access/grants.ts';
import { parseScope, requireNamed, SCOPE_FORMS } from '../../../access/scope.ts';
import type { TokenView } from '../../../api/token-view.ts';
import { newTokenSchema, scopesOfForm, tokenView } from '../../../api/token-view.ts';
import { param, senderOf } from '../../request/admitted.ts';
import { pageOperation } from '../../request/operation.ts';
import { formBody, readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { confirmed } from '../parts/confirmed.ts';
import type { Frame } from '../parts/frame.ts';
import { frameOf } from '../parts/frame.ts';
import { type Html, html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { sendPage, sendPageOnce } from '../parts/send-page.ts';
import { facts, stackingTable } from '../parts/tables.ts';
import { timeOf } from '../parts/words.ts';
import { setCookie } from '../sign-in/set-cookie.ts';
import { attempting } from './attempting.ts';
import type { RejectedForm } from './set-pages.ts';

/** Milliseconds in which a browser must open the page that shows a new token. */
const MADE_MS = 60_000;

/**
 * The page of tokens, for administrators and those who manage an organization.
 * @param stopping ends bodies that are being read when the server stops
 */
export function tokenPageRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { tokens, uses } = app.access;
  const { configuration } = app;
  const { idleTimeoutMs } = configuration;

  async function show(
    { request, response }: { readonly request: Request; readonly response: Response },
    more: Partial<TokensPage> & { readonly revokedId?: string | undefined },
  ): Promise<void> {
    const now = Date.now();
    const [every, usesOf] = await Promise.all([tokens.list(), uses.list()]);
    const shown = every.filter((record) => maySeeToken(senderOf(response), record));
    const all = shown.map((record) => tokenView(record, now, usesOf.get(record.id))).toReversed();
    const revoked = all.find(({ id }) => id === more.revokedId);
    const frame = await frameOf(app, request, response);
    sendPage(
      response,
      renderTokensPage({ ...more, frame, tokens: all, revoked }),
      more.attempt === undefined ? 200 : 400,
    );
  }

  return [
    get('/tokens', {
      action: 'manage-any',
      ...pageOperation('tokensPage', 'Every token that was ever made, and the form that makes one'),
      query: z.object({ revoked: z.string().optional() }),
      handle: (request, response, { revoked }) => show({ request, response }, { revokedId: revoked }),
    }),

    post('/tokens', {
      action: 'manage-any',
      id: 'createTokenByForm',
      tag: 'pages',
      summary: 'Makes a token, and leads to the page that shows it',
      body: formBody({ name: newTokenSchema.shape.name, scopes: scopesOfForm }),
      answers: [
        {
          status: 303,
          description: 'The token is made. A cookie has it, which the page removes.',
          headers: ['Location', 'Set-Cookie'],
        },
      ],
      async handle(request, response) {
        const form = await readForm(request, { idleTimeoutMs, stopping });
        const fail = (attempt: TokensPage['attempt']) => show({ request, response }, { attempt });
        await attempting({ form, show: fail }, async () => {
          const scopes = (form.get('scopes') ?? '')
            .split(/[\s,]+/)
            .filter((scope) => scope !== '')
            .map(parseScope);
          const text = form.get('expires')?.trim() ?? '';
          const expires = text === '' ? undefined : parseExpiry(text, Date.now());
          const given = { name: form.get('name') ?? '', scopes, expires };
          const granted = grantedToken(senderOf(response), given, await tokens.list());
          await requireNamed(scopes, { sets: app.sets, organizations: app.records.organizations });
          const { token, record } = await tokens.create(granted);
          response.locals.subject = `${record.name} (${record.id})`;
          const keeping = { baseUrl: configuration.baseUrl, maxAge: MADE_MS };
          setCookie({ request, response }, await app.access.sessions.cookieToShow(token), keeping);
          response.redirect(303, './tokens/made');
        });
      },
    }),

    // Everybody may open it: the first token ends what a client of this machine may do without one.
    get('/tokens/made', {
      action: 'read-source',
      ...pageOperation('madeTokenPage', 'Shows a new token to the browser in which it was made, once'),
      async handle(request, response) {
        const cookie = await app.access.sessions.tokenToShow(request.headers.cookie);
        const made = cookie && (await tokens.show(cookie.token));
        const frame = await frameOf(app, request, response);
        if (cookie !== undefined) {
          const keeping = { baseUrl: configuration.baseUrl, maxAge: 0 };
          setCookie({ request, response }, { name: cookie.name, value: '' }, keeping);
        }
        const shown = made?.record && { token: cookie!.token, view: tokenView(made.record, frame.now) };
        sendPageOnce(response, renderMadeTokenPage(frame, shown));
      },
    }),

    post('/tokens/:id/revoke', {
      action: 'manage-any',
      id: 'revokeTokenByForm',
      tag: 'pages',
      summary: 'Revokes a token for ever, and leads back to the others',
      answers: [
        { status: 303, description: 'The token is revoked.', headers: ['Location'] },
        { status: 404, description: 'There is no such token.' },
      ],
      async handle(request, response) {
        const { id } = await tokens.revoke(param(request, 'id'), (record) => maySeeToken(senderOf(response), record));
        response.redirect(303, `../../tokens?${new URLSearchParams({ revoked: id })}`);
      },
    }),
  ];
}

interface TokensPage {
  readonly frame: Frame;
  /** Newest first. */
  readonly tokens: readonly TokenView[];
  readonly revoked?: TokenView | undefined;
  readonly attempt?: RejectedForm | undefined;
}

/** All tokens that were ever created, and the form that creates one. */
function renderTokensPage({ frame, tokens, revoked, attempt }: TokensPage): string {
  const given = (name: string) => attempt?.form.get(name) ?? '';
  const main = html`<h1>Tokens</h1>
${revoked?.state === 'revoked' && html`<p class="notice good" role="status">The token ${revoked.name} was revoked. Every server refuses it within a second or so.</p>`}
${problemNotice(attempt?.problem)}
<p class="lead">${frame.viewer.isAdministrator ? 'Who may post to sets, read private ones, see metrics, manage organizations, or administer the source.' : 'Who may upload for the organizations that you manage, read what is private of them, or manage them.'}</p>
${tokens.length === 0 ? html`<p class="quiet">There is no token yet. Make one below: programs that post need one, and so do people who administer the source from elsewhere.</p>` : tokenTable(tokens, frame)}
<h2>Make a token</h2>
<form class="fields" method="post" action="./tokens">
<p><label for="name">Name</label>
<input id="name" name="name" required maxlength="100" value="${given('name')}" autocomplete="off" aria-describedby="name-hint">
<span class="hint" id="name-hint">Whose it is, or what for: lists and logs show it.</span></p>
<p><label for="scopes">Scopes</label>
<textarea id="scopes" name="scopes" required rows="3" spellcheck="false" aria-describedby="scopes-hint">${given('scopes')}</textarea>
<span class="hint" id="scopes-hint">One in a line: ${frame.viewer.isAdministrator ? SCOPE_FORMS : 'upload:ORG, download:ORG or manage:ORG'}.</span></p>
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
    {
      name: 'Last used',
      style: 'short',
      cell: ({ lastUse }) =>
        lastUse === undefined
          ? 'never'
          : html`${timeOf(lastUse.at, now)}<span class="more-of">from ${lastUse.address}</span>`,
    },
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

export interface MadeToken {
  readonly token: string;
  readonly view: TokenView;
}

/** The page that shows a new token. @param made undefined when it was shown before: it is stored nowhere */
function renderMadeTokenPage(frame: Frame, made: MadeToken | undefined): string {
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
