import { type Action, may } from './may.ts';
import { ANONYMOUS, type Principal } from './principal.ts';
import type { Scope } from './scope.ts';

const PUBLIC = { slug: 'papers' };
const PRIVATE = { slug: 'papers', private: true, readers: ['download:papers'] };

/** Tokens, from the fewest permissions to the most, with their names in texts. */
const BEARERS: readonly { readonly scope: Scope; readonly words: string }[] = [
  { scope: 'read:papers', words: 'a token that may read the set' },
  { scope: 'download:papers', words: 'a token that may download what is private of it' },
  { scope: 'post:papers', words: 'a token that may post to the set' },
  { scope: 'upload:papers', words: 'a token that may upload for the organization' },
  { scope: 'manage:papers', words: 'a token that may manage the organization' },
  { scope: 'metrics', words: 'a token that may read metrics' },
];

/** Describes who may perform an action, by calling `may`. */
export function whoMay(action: Action): string {
  if (!may(ANONYMOUS, action, PUBLIC)) return bearer(action, PUBLIC);
  if (may(ANONYMOUS, action, PRIVATE)) return 'everybody';
  const what = action === 'read-organization' ? 'organization' : 'set';
  return `everybody; if the ${what} is private, ${bearer(action, PRIVATE)}`;
}

function bearer(action: Action, set: { readonly slug: string; readonly private?: boolean }): string {
  return BEARERS.find(({ scope }) => may(tokenWith(scope), action, set))?.words ?? 'a token that may administer';
}

function tokenWith(scope: Scope): Principal {
  return { kind: 'token', id: '', name: '', scopes: [scope], limits: {} };
}
