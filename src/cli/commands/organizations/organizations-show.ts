import { organizationView } from '../../../api/organization-views.ts';
import { streamStatisticsView } from '../../../api/stream-statistics-view.ts';
import { streamStatistics } from '../../../records/stream-statistics.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeOrganization, describeStatistics } from './describe-organization.ts';

export const organizationsShow: CliCommand = {
  group: 'organizations',
  usage: 'show <organization>',
  summary: 'Shows one organization with its contacts, streams and numbers.',
  examples: [['organizations show lane', 'shows contacts, streams, and what the default stream has']],

  async run(call) {
    const view = await withExistingApp(call, async (app) => {
      const organization = await app.records.organizations.get(call.args[0]!);
      const name = { organization: organization.id };
      const { organization: _, ...statistics } = streamStatisticsView(
        name,
        await streamStatistics(name, { ...app, ...app.records }),
      );
      return { ...organizationView(organization), statistics };
    });
    await call.terminal.print(`${describeOrganization(view)}\n\n${describeStatistics(view.statistics)}`, view);
    return EXIT.done;
  },
};
