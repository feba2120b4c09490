import { tokenView } from '../../api/token-views.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { formatTable } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

export const tokensList: CliCommand = {
  group: 'tokens',
  usage: 'list',
  summary: 'Lists the tokens that were made, oldest first, without their secrets: those are not stored.',
  examples: [['tokens list', 'lists them with their scopes']],

  async run(call) {
    const records = await withExistingApp(call, ({ access: { tokens } }) => tokens.list());
    const tokens = records.map((record) => tokenView(record, Date.now()));
    const rows = tokens.map(({ id, name, scopes, state, created, expires = '(never)' }) => {
      return [id, name, state, scopes.join(' '), created.slice(0, 10), expires.slice(0, 16)];
    });
    const table = formatTable(['ID', 'NAME', 'STATE', 'SCOPES', 'CREATED', 'EXPIRES'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no token.' : table, { tokens });
    return EXIT.done;
  },
};
