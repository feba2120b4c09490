import { streamView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';

export const streamsDefault: CliCommand = {
  group: 'streams',
  usage: 'default <organization> <stream>',
  summary: 'Makes a stream the default of its organization, in place of the other one.',
  examples: [['streams default lane full-2026', 'uploads that name no stream go to it from now on']],
  settings: ORGANIZATION_SETTINGS,

  async run(call) {
    const [organization = '', stream = ''] = call.args;
    const view = await changeOrganizations(call, async ({ records: { organizations } }) => {
      return streamView(await organizations.changeStream(organization, stream, { default: true }), stream);
    });
    await call.terminal.print(`The default stream of ${organization} is ${stream} now.`, { organization, ...view });
    return EXIT.done;
  },
};
