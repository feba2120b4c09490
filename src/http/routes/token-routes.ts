import * as z from 'zod';
import { parseExpiry } from '../../access/expiry.ts';
import { grantedToken, maySeeToken } from '../../access/grants.ts';
import { parseScope, requireNamed } from '../../access/scope.ts';
import { newTokenSchema, tokenSchema, tokenView } from '../../api/token-view.ts';
import { param, senderOf } from '../request/admitted.ts';
import { json, NO_PARAMETERS } from '../request/operation.ts';
import { parseJsonBody } from '../request/parse-json-body.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';

export const tokensSchema = z.strictObject({ tokens: z.array(tokenSchema) });

export const madeTokenSchema = tokenSchema
  .extend({ token: z.string().describe('The token. It is shown only now.') })
  .meta({ id: 'MadeToken', description: 'A token that was made.' });

const MOST_BYTES = 65_536;

/**
 * Tokens, for administrators, and for those who manage an organization.
 * @param stopping ends bodies that are being read when the server stops
 */
export function tokenRoutes(
  { access: { tokens, uses }, sets, records: { organizations }, configuration }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const { idleTimeoutMs } = configuration;

  return [
    get('/api/tokens', {
      action: 'manage-any',
      id: 'listTokens',
      tag: 'tokens',
      summary: 'Every token that was ever created, oldest first; of organizations, to those who manage these',
      query: NO_PARAMETERS,
      answers: [json(tokensSchema, 'The tokens, without their secrets.')],
      async handle(_request, response) {
        const now = Date.now();
        const [all, usesOf] = await Promise.all([tokens.list(), uses.list()]);
        const shown = all.filter((record) => maySeeToken(senderOf(response), record));
        sendJson(response, { tokens: shown.map((record) => tokenView(record, now, usesOf.get(record.id))) });
      },
    }),

    post('/api/tokens', {
      action: 'manage-any',
      id: 'createToken',
      tag: 'tokens',
      summary: 'Creates a token',
      description:
        'The answer has the token, which is kept nowhere: this is the only time that it is shown. Who manages an organization makes tokens for that organization alone.',
      query: NO_PARAMETERS,
      body: { 'application/json': newTokenSchema },
      answers: [
        json(madeTokenSchema, 'The token was made.', 201),
        { status: 404, description: 'A scope names a set that does not exist.' },
        { status: 409, description: 'Those who manage an organization have too many valid tokens.' },
        { status: 410, description: 'A scope names a set that was removed.' },
      ],
      async handle(request, response) {
        const bytes = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const { name, scopes: texts, expires, ...limits } = parseJsonBody(newTokenSchema, bytes);
        const scopes = texts.map(parseScope);
        const expiry = expires === undefined ? undefined : parseExpiry(expires, Date.now());
        const made = grantedToken(senderOf(response), { name, scopes, limits, expires: expiry }, await tokens.list());
        await requireNamed(scopes, { sets, organizations });
        const { token, record } = await tokens.create(made);
        response.locals.subject = `${record.name} (${record.id})`;
        sendJson(response, { ...tokenView(record, Date.now()), token }, 201);
      },
    }),

    post('/api/tokens/:id/revoke', {
      action: 'manage-any',
      id: 'revokeToken',
      tag: 'tokens',
      summary: 'Revokes a token for ever',
      description: 'Every server refuses it within a second or so. Revoking it again changes nothing.',
      query: NO_PARAMETERS,
      answers: [json(tokenSchema, 'The token is revoked.'), { status: 404, description: 'There is no such token.' }],
      async handle(request, response) {
        const revoked = await tokens.revoke(param(request, 'id'), (record) => maySeeToken(senderOf(response), record));
        sendJson(response, tokenView(revoked, Date.now()));
      },
    }),
  ];
}
