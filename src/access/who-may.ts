import { type Action, may } from './may.ts';
import { ANONYMOUS, type Principal } from './principal.ts';
import type { Scope } from './scope.ts';

const PUBLIC = { slug: 'papers' };
const PRIVATE = { slug: 'papers', private: true };

/** Tokens from the least to the most, with how they are called. */
const BEARERS: readonly { readonly scope: Scope; readonly words: string }[] = [
  { scope: 'read:papers', words: 'a token that may read the set' },
  { scope: 'post:papers', words: 'a token that may post to the set' },
  { scope: 'metrics', words: 'a token that may read metrics' },
];

/** Who may do something, in words; found out by asking `may`. */
export function whoMay(action: Action): string {
  if (action === 'sign-in') return 'any token';
  if (!may(ANONYMOUS, action, PUBLIC)) return bearer(action, PUBLIC);
  return may(ANONYMOUS, action, PRIVATE) ? 'everybody' : `everybody; if the set is private, ${bearer(action, PRIVATE)}`;
}

function bearer(action: Action, set: { readonly slug: string; readonly private?: boolean }): string {
  return BEARERS.find(({ scope }) => may(tokenWith(scope), action, set))?.words ?? 'a token that may administer';
}

function tokenWith(scope: Scope): Principal {
  return { kind: 'token', id: '', name: '', scopes: [scope], limits: {} };
}
