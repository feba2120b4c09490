import type { Principal } from '../../access/principal.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Sender } from '../../observe/audit/posting-entry.ts';

/** A sender as recorded in the log of postings. */
export function postingSender(principal: Principal, { token }: Pick<Configuration, 'token'>): Sender {
  if (principal.kind === 'token') return { kind: 'token', id: principal.id, name: principal.name };
  // Without a token in the environment, only the machine itself is trusted as its administrator.
  return { kind: token === undefined ? 'local' : 'administrator' };
}
