import { idOfNamed } from '../../access/token.ts';
import { tokenView } from '../../api/token-views.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { withExistingApp } from '../with-app.ts';

export const tokensRevoke: CliCommand = {
  group: 'tokens',
  usage: 'revoke <id>',
  summary: 'Revokes a token, for ever. Every server refuses it within a second or so.',
  examples: [['tokens revoke 5e1f1e55c0de', 'makes it worthless at once']],

  async run(call) {
    const id = idOf(call.args[0]!);
    const view = tokenView(await withExistingApp(call, ({ access: { tokens } }) => tokens.revoke(id)), Date.now());
    await call.terminal.print(`Revoked the token "${view.name}" (id ${view.id}).`, view);
    return EXIT.done;
  },
};

/** No message repeats what may be a secret. */
function idOf(given: string): string {
  const id = idOfNamed(given);
  if (id !== undefined) return id;
  throw new TidemarkError(
    'invalid',
    'name a token by its id, of 12 digits and letters: "tidemark tokens list" shows it',
  );
}
