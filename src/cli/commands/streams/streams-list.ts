import { organizationView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { streamTable } from '../organizations/describe-organization.ts';

export const streamsList: CliCommand = {
  group: 'streams',
  usage: 'list <organization>',
  summary: 'Lists the streams of an organization.',
  examples: [['streams list lane', 'lists them in the order in which they were made']],

  async run(call) {
    const { organization, streams } = await withExistingApp(call, async ({ records: { organizations } }) => {
      return organizationView(await organizations.get(call.args[0]!));
    });
    await call.terminal.print(streamTable(streams), { organization, streams });
    return EXIT.done;
  },
};
