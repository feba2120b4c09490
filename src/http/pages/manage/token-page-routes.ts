import type { Request, Response } from 'express';
import * as z from 'zod';
import { parseExpiry } from '../../../access/expiry.ts';
import { parseScope, requireNamed } from '../../../access/scope.ts';
import { newTokenSchema, scopesOfForm, tokenView } from '../../../api/token-view.ts';
import { param } from '../../request/admitted.ts';
import { pageOperation } from '../../request/operation.ts';
import { formBody, readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { frameOf } from '../parts/frame-of.ts';
import { sendPage, sendPageOnce } from '../parts/send-page.ts';
import { setCookie } from '../sign-in/set-cookie.ts';
import { attempting } from './attempting.ts';
import { renderMadeTokenPage } from './made-token-page.ts';
import { renderTokensPage, type TokensPage } from './tokens-page.ts';

/** Milliseconds in which a browser must open the page that shows a new token. */
const MADE_MS = 60_000;

/** The page of tokens, for administrators. @param stopping ends bodies that are being read when the server stops */
export function tokenPageRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { tokens } = app.access;
  const { configuration } = app;
  const { idleTimeoutMs } = configuration;

  async function show(
    { request, response }: { readonly request: Request; readonly response: Response },
    more: Partial<TokensPage> & { readonly revokedId?: string | undefined },
  ): Promise<void> {
    const now = Date.now();
    const all = (await tokens.list()).map((record) => tokenView(record, now)).toReversed();
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
      action: 'administer',
      ...pageOperation('tokensPage', 'Every token that was ever made, and the form that makes one'),
      query: z.object({ revoked: z.string().optional() }),
      handle: (request, response, { revoked }) => show({ request, response }, { revokedId: revoked }),
    }),

    post('/tokens', {
      action: 'administer',
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
          await requireNamed(scopes, { sets: app.sets, organizations: app.records.organizations });
          const expires = form.get('expires')?.trim() ?? '';
          const { token, record } = await tokens.create({
            name: form.get('name') ?? '',
            scopes,
            expires: expires === '' ? undefined : parseExpiry(expires, Date.now()),
          });
          response.locals.subject = `${record.name} (${record.id})`;
          const keeping = { baseUrl: configuration.baseUrl, maxAge: MADE_MS };
          setCookie({ request, response }, await app.access.sessions.showOnce(token), keeping);
          response.redirect(303, './tokens/made');
        });
      },
    }),

    // Everybody may open it: the first token ends what a client of this machine may do without one.
    get('/tokens/made', {
      action: 'read-source',
      ...pageOperation('madeTokenPage', 'Shows a new token to the browser in which it was made, once'),
      async handle(request, response) {
        const cookie = await app.access.sessions.shownOnce(request.headers.cookie);
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
      action: 'administer',
      id: 'revokeTokenByForm',
      tag: 'pages',
      summary: 'Revokes a token for ever, and leads back to the others',
      answers: [
        { status: 303, description: 'The token is revoked.', headers: ['Location'] },
        { status: 404, description: 'There is no such token.' },
      ],
      async handle(request, response) {
        const { id } = await tokens.revoke(param(request, 'id'));
        response.redirect(303, `../../tokens?${new URLSearchParams({ revoked: id })}`);
      },
    }),
  ];
}
