import type { Configuration } from '../config/configuration.ts';
import type { Closers } from '../lib/calls/closers.ts';
import type { Catalog } from '../stores/catalog.ts';
import { type EarlierSender, identifyAgain } from './identify-principal.ts';
import { type Action, type Guarded, may } from './may.ts';
import { Sessions } from './sessions.ts';
import { TokenRegistry } from './token-registry.ts';
import { TokenUses } from './token-uses.ts';

/** Who may do what. */
export interface Access extends ReturnType<typeof openAccess> {}

export function openAccess(catalog: Catalog, { token: own }: Pick<Configuration, 'token'>, closers: Closers) {
  const tokens = new TokenRegistry(catalog);
  const uses = new TokenUses(catalog);
  closers.add(() => uses.flush());
  return {
    tokens,
    uses,
    sessions: new Sessions(catalog),
    /** Whether the sender of an earlier request may do something now. */
    async mayStill(sender: EarlierSender, action: Action, about: Guarded): Promise<boolean> {
      const principal = await identifyAgain(sender, { own, tokens });
      return principal !== undefined && may(principal, action, about);
    },
  };
}
