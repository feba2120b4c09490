import { streamView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';

interface Options {
  readonly undo?: true;
}

export const streamsArchive: CliCommand<Options> = {
  group: 'streams',
  usage: 'archive <organization> <stream>',
  summary: 'Archives a stream: it takes no uploads any more. The default stream cannot be archived.',
  examples: [
    ['streams archive lane full-2025', 'archives it; what it has stays'],
    ['streams archive lane full-2025 --undo', 'lets it take uploads again'],
  ],
  settings: ORGANIZATION_SETTINGS,

  options(command) {
    command.option('--undo', 'let it take uploads again');
  },

  async run(call) {
    const [organization = '', stream = ''] = call.args;
    const archived = call.options.undo === undefined;
    const view = await changeOrganizations(call, async ({ records: { organizations } }) => {
      return streamView(await organizations.changeStream(organization, stream, { archived }), stream);
    });
    const what = archived ? 'is archived: it takes no uploads' : 'takes uploads again';
    await call.terminal.print(`The stream ${stream} of ${organization} ${what}.`, { organization, ...view });
    return EXIT.done;
  },
};
