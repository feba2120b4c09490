import { idOfToken } from '../../access/token.ts';
import { tokenView } from '../../api/token-views.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { withExistingApp } from '../with-app.ts';

export const tokensRevoke: CliCommand = {
  group: 'tokens',
  usage: 'revoke <id>',
  summary: 'Revokes a token, for ever. Every server refuses it within a second or so.',
  examples: [['tokens revoke 5e1f1e55c0de', 'makes it worthless at once']],

  async run(call) {
    const given = call.args[0]!;
    // The token itself is accepted, too; it is never printed.
    const id = idOfToken(given) ?? given;
    const view = tokenView(await withExistingApp(call, ({ tokens }) => tokens.revoke(id)), Date.now());
    await call.terminal.print(`Revoked the token "${view.name}" (id ${view.id}).`, view);
    return EXIT.done;
  },
};
