import * as z from 'zod';
import { SCOPE_FORMS } from '../access/scope.ts';
import { stateOf, type TokenRecord } from '../access/token.ts';
import type { TokenUse } from '../access/token-uses.ts';
import { SLUG } from '../core/resource-set.ts';
import { datetime, formatTime } from './fields.ts';

/** The shapes of tokens in the JSON API. */

const limits = {
  requestsPerMinute: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .describe('Most requests in a minute; null for no limit, absent for the setting of the server.'),
  bodyBytesPerMinute: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .describe('Most bytes of request bodies in a minute, unpacked; null for no limit.'),
};

/** As `parseScope` accepts it. */
const NAME = SLUG.source.slice(1, -1);

const SCOPE = `(?:administer|metrics|(?:post|read|upload|download|manage):(?:\\*|${NAME})|group:${NAME})`;

/** As `parseExpiry` accepts it. */
const EXPIRY =
  '^(?:[1-9]\\d{0,5}[mh]|[1-9]\\d{0,3}d|[12]\\d{4}d|[1-9]\\d{0,2}w|[1-9]\\d?y|\\d{4}-\\d\\d-\\d\\d(?:T\\S+)?)$';

/** Scopes in one text, as a form sends them. */
export const scopesOfForm = z.string().meta({ pattern: `^${SCOPE}(?:[\\s,]+${SCOPE})*$` });

const scopes = z
  .array(z.string().meta({ pattern: `^${SCOPE}$` }))
  .min(1)
  .max(1000)
  .describe(SCOPE_FORMS);

export const tokenSchema = z
  .strictObject({
    id: z.string().describe('Identifies the token; not secret.'),
    name: z.string(),
    scopes,
    state: z.enum(['valid', 'expired', 'revoked']),
    created: datetime,
    expires: datetime.optional(),
    revoked: datetime.optional(),
    lastUse: z
      .strictObject({ at: datetime, address: z.string().describe('The network address of the client.') })
      .optional()
      .describe('To within five minutes. Absent when it was never used since this is recorded.'),
    madeBy: z.string().optional().describe('The id of the token that made it; absent when an administrator did.'),
    ...limits,
  })
  .meta({ id: 'Token', description: 'The stored record of a token; not the token itself.' });

export const newTokenSchema = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Its name for people.'),
    scopes,
    expires: z
      .string()
      .max(40)
      .optional()
      .meta({
        description: 'A duration (`90d`), a date or a W3C datetime; never, without it. At most 100 years.',
        pattern: EXPIRY,
        examples: ['90d'],
      }),
    ...limits,
  })
  .meta({ id: 'NewToken' });

export type TokenView = z.infer<typeof tokenSchema>;

/** The view of a token in the API: without its digest. @param use its last use; undefined when there was none */
export function tokenView(record: TokenRecord, now: number, use?: TokenUse): TokenView {
  const { id, name, scopes, created, expires, revoked, madeBy, limits } = record;
  return {
    id,
    name,
    scopes: [...scopes],
    state: stateOf(record, now),
    created: formatTime(created),
    ...(expires !== undefined && { expires: formatTime(expires) }),
    ...(revoked !== undefined && { revoked: formatTime(revoked) }),
    ...(use !== undefined && { lastUse: { at: formatTime(use.at), address: use.address } }),
    ...(madeBy !== undefined && { madeBy }),
    ...limits,
  };
}
