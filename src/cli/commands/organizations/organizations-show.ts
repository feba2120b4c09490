import { organizationView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeOrganization } from './describe-organization.ts';

export const organizationsShow: CliCommand = {
  group: 'organizations',
  usage: 'show <organization>',
  summary: 'Shows one organization with its contacts and streams.',
  examples: [['organizations show lane', 'shows contacts and streams']],

  async run(call) {
    const view = await withExistingApp(call, async ({ organizations }) => {
      return organizationView(await organizations.get(call.args[0]!));
    });
    await call.terminal.print(describeOrganization(view), view);
    return EXIT.done;
  },
};
