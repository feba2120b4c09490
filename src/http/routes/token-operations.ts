import { madeTokenSchema, newTokenSchema, tokenSchema, tokensSchema } from '../../api/token-schemas.ts';
import { json, NO_PARAMETERS, type Operation } from '../request/operation.ts';

/** Requests and responses about tokens, for administrators; token-routes.ts handles them. */

export const LIST_TOKENS = {
  id: 'listTokens',
  tag: 'tokens',
  summary: 'Every token that was ever created, oldest first',
  query: NO_PARAMETERS,
  answers: [json(tokensSchema, 'The tokens, without their secrets.')],
} satisfies Operation;

export const CREATE_TOKEN = {
  id: 'createToken',
  tag: 'tokens',
  summary: 'Creates a token',
  description: 'The answer has the token, which is kept nowhere: this is the only time that it is shown.',
  query: NO_PARAMETERS,
  body: { 'application/json': newTokenSchema },
  answers: [
    json(madeTokenSchema, 'The token was made.', 201),
    { status: 404, description: 'A scope names a set that does not exist.' },
    { status: 410, description: 'A scope names a set that was removed.' },
  ],
} satisfies Operation;

export const REVOKE_TOKEN = {
  id: 'revokeToken',
  tag: 'tokens',
  summary: 'Revokes a token for ever',
  description: 'Every server refuses it within a second or so. Revoking it again changes nothing.',
  query: NO_PARAMETERS,
  answers: [json(tokenSchema, 'The token is revoked.'), { status: 404, description: 'There is no such token.' }],
} satisfies Operation;
