import { parseExpiry } from '../../access/expiry.ts';
import { parseScope, requireNamed } from '../../access/scope.ts';
import { newTokenSchema } from '../../api/token-schemas.ts';
import { tokenView } from '../../api/token-views.ts';
import { param } from '../request/admitted.ts';
import { parseJsonBody } from '../request/parse-json-body.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { CREATE_TOKEN, LIST_TOKENS, REVOKE_TOKEN } from './token-operations.ts';

const MOST_BYTES = 65_536;

/** Tokens, for administrators. @param stopping ends bodies that are being read when the server stops */
export function tokenRoutes(
  { access: { tokens }, sets, records: { organizations }, configuration }: ServedApp,
  stopping: AbortSignal,
): readonly Route[] {
  const { idleTimeoutMs } = configuration;

  return [
    get('/api/tokens', {
      action: 'administer',
      operation: LIST_TOKENS,
      async handle(_request, response) {
        const now = Date.now();
        sendJson(response, { tokens: (await tokens.list()).map((record) => tokenView(record, now)) });
      },
    }),

    post('/api/tokens', {
      action: 'administer',
      operation: CREATE_TOKEN,
      async handle(request, response) {
        const bytes = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const { name, scopes: texts, expires, ...limits } = parseJsonBody(newTokenSchema, bytes);
        const scopes = texts.map(parseScope);
        await requireNamed(scopes, { sets, organizations });
        const { token, record } = await tokens.create({
          name,
          scopes,
          limits,
          expires: expires === undefined ? undefined : parseExpiry(expires, Date.now()),
        });
        response.locals.subject = `${record.name} (${record.id})`;
        sendJson(response, { ...tokenView(record, Date.now()), token }, 201);
      },
    }),

    post('/api/tokens/:id/revoke', {
      action: 'administer',
      operation: REVOKE_TOKEN,
      async handle(request, response) {
        sendJson(response, tokenView(await tokens.revoke(param(request, 'id')), Date.now()));
      },
    }),
  ];
}
