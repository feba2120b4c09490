import { streamView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';

interface Options {
  readonly title?: string;
}

export const streamsAdd: CliCommand<Options> = {
  group: 'streams',
  usage: 'add <organization> <stream>',
  summary: 'Makes a stream of an organization. Its first stream is its default.',
  examples: [
    ['streams add lane main', 'makes one'],
    ["streams add lane full-2026 --title 'All records of 2026'", 'makes another one, with a title'],
  ],
  settings: ORGANIZATION_SETTINGS,

  options(command) {
    command.option('--title <text>', 'what people call it');
  },

  async run(call) {
    const [organization = '', stream = ''] = call.args;
    const view = await changeOrganizations(call, async ({ records: { organizations } }) => {
      return streamView(await organizations.addStream(organization, stream, call.options.title), stream);
    });
    const role = view.default ? ', which is the default' : '';
    await call.terminal.print(`Made the stream ${stream} of ${organization}${role}.`, { organization, ...view });
    return EXIT.done;
  },
};
