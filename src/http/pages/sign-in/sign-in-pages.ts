import type { Request, Response } from 'express';
import * as z from 'zod';
import { clientAddress } from '../../../access/client-address.ts';
import { problemOfToken, requireOwnPage } from '../../../access/identify-principal.ts';
import { RateLimiter } from '../../../access/rate-limiter.ts';
import { SESSION_MS } from '../../../access/sessions.ts';
import { senderOf } from '../../request/admitted.ts';
import { tooManyRequests } from '../../request/http-error.ts';
import { page as htmlPage } from '../../request/operation.ts';
import { FORM_BODY, readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import type { Frame } from '../parts/frame.ts';
import { frameOf } from '../parts/frame.ts';
import { html } from '../parts/html.ts';
import { renderPage } from '../parts/layout.ts';
import { sendPage } from '../parts/send-page.ts';
import { sentence } from '../parts/words.ts';
import { setCookie } from './set-cookie.ts';

/** From one address; a person mistypes a few. */
const WRONG_TOKENS_PER_MINUTE = 20;

/** Signing in and out with a browser. @param stopping ends bodies that are being read when the server stops */
export function signInRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { sessions, tokens } = app.access;
  const { configuration } = app;
  const { idleTimeoutMs, baseUrl } = configuration;
  const wrongTokens = new RateLimiter();
  const keeping = { baseUrl, maxAge: SESSION_MS };

  async function show(request: Request, response: Response, form: Pick<SignInPage, 'to' | 'problem' | 'isUnsent'>) {
    const hasTokens = configuration.token !== undefined || (await tokens.areKept());
    const frame = await frameOf(app, request, response);
    sendPage(response, renderSignInPage({ frame, hasTokens, ...form }), form.problem === undefined ? 200 : 403);
  }

  return [
    get('/sign-in', {
      action: 'read-source',
      id: 'signIn',
      tag: 'pages',
      summary: 'Asks for a token, for a browser',
      query: z.object({ to: z.string().optional(), unsent: z.string().optional() }),
      answers: [
        htmlPage('The form.'),
        { status: 303, description: 'The sender has shown a token already.', headers: ['Location'] },
      ],
      async handle(request, response, { to = '', unsent }) {
        const target = ownTarget(to);
        if (senderOf(response).kind !== 'anonymous') response.redirect(303, `./${target}`);
        else await show(request, response, { to: target, isUnsent: unsent === 'form' });
      },
    }),

    post('/sign-in', {
      action: 'read-source',
      id: 'signInByForm',
      tag: 'pages',
      summary: 'Begins a session of a browser, by a token',
      description: `The session is a cookie that is valid for ${SESSION_MS / 3_600_000} hours, as long as the token is.`,
      body: FORM_BODY,
      answers: [
        { status: 303, description: 'The session has begun.', headers: ['Location', 'Set-Cookie'] },
        {
          status: 429,
          description: 'Too many wrong tokens came from the address of the sender.',
          headers: ['Retry-After'],
        },
      ],
      async handle(request, response) {
        // A page of another site must not sign a user in with a token of that site.
        requireOwnPage(request.headers, baseUrl);
        const form = await readForm(request, { idleTimeoutMs, stopping });
        const to = ownTarget(form.get('to') ?? '');
        const token = form.get('token')?.trim() ?? '';
        const address = clientAddress(request.headers, request.socket.remoteAddress);
        // Counted before the token is checked: many may be checked at the same time.
        const wait = wrongTokens.take(address, 1, WRONG_TOKENS_PER_MINUTE);
        if (wait > 0) throw tooManyRequests(wait);
        const problem = await problemOfToken(token, { tokens, own: configuration.token }).catch((error: unknown) => {
          wrongTokens.giveBack(address, 1);
          throw error;
        });
        if (problem !== undefined) return show(request, response, { to, problem: sentence(problem) });
        wrongTokens.giveBack(address, 1);
        setCookie({ request, response }, await sessions.begin(token), keeping);
        response.redirect(303, `./${to}`);
      },
    }),

    post('/sign-out', {
      action: 'read-source',
      id: 'signOutByForm',
      tag: 'pages',
      summary: 'Ends all sessions of the token that this one was begun with',
      answers: [{ status: 303, description: 'They have ended.', headers: ['Location', 'Set-Cookie'] }],
      async handle(request, response) {
        requireOwnPage(request.headers, baseUrl);
        const token = await sessions.tokenOf(request.headers.cookie);
        if (token !== undefined) await sessions.end(token);
        const name = await sessions.cookieName();
        if (name !== undefined) setCookie({ request, response }, { name, value: '' }, keeping);
        response.redirect(303, './');
      },
    }),
  ];
}

/**
 * The address to go to, which follows `./`: so it is always on this server. Texts that browsers parse in a different
 * way are dropped.
 */
function ownTarget(to: string): string {
  const isPlain = /^[\x21-\x5b\x5d-\x7e]{0,4096}$/.test(to) && !/^[/.]/.test(to) && !/^sign-(?:in|out)/.test(to);
  return isPlain ? to : '';
}

interface SignInPage {
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
function renderSignInPage({ frame, to, hasTokens, problem, isUnsent = false }: SignInPage): string {
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
