import { organizationView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { readingOf } from './describe-organization.ts';

export const organizationsList: CliCommand = {
  group: 'organizations',
  usage: 'list',
  summary: 'Lists the organizations.',
  examples: [['organizations list', 'lists them with their default streams']],

  async run(call) {
    const all = await withExistingApp(call, ({ records: { organizations } }) => organizations.list());
    const organizations = all.map((one) => organizationView(one));
    const rows = organizations.map((view) => {
      const { organization, streams, defaultStream = '(none)', title = '' } = view;
      return [organization, streams.length, defaultStream, readingOf(view), title];
    });
    const table = formatTable(['ORGANIZATION', 'STREAMS', 'DEFAULT', 'FOR', 'TITLE'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no organization.' : table, { organizations });
    return EXIT.done;
  },
};
