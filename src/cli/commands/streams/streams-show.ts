import { streamView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { withExistingApp } from '../../with-app.ts';
import { describeDumps, streamTable } from '../organizations/describe-organization.ts';

export const streamsShow: CliCommand = {
  group: 'streams',
  usage: 'show <organization> <stream>',
  summary: 'Shows one stream of an organization.',
  examples: [['streams show lane main', 'shows whether it is the default, and whether it takes uploads']],

  async run(call) {
    const [organization = '', stream = ''] = call.args;
    const view = await withExistingApp(call, async ({ records: { organizations } }) => {
      return streamView(await organizations.get(organization), stream);
    });
    const text = [streamTable([view]), ...describeDumps(view.dumps)].join('\n');
    await call.terminal.print(text, { organization, ...view });
    return EXIT.done;
  },
};
