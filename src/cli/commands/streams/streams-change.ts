import type { Command } from 'commander';
import { streamView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';
import { addDumpOptions, type DumpOptions, givenDumps } from '../organizations/dump-options.ts';
import { nothingToChange } from '../organizations/nothing-to-change.ts';

interface Options extends DumpOptions {
  readonly title?: string;
}

export const streamsChange: CliCommand<Options> = {
  group: 'streams',
  usage: 'change <organization> <stream>',
  summary: 'Changes the title of a stream, and when its dumps are made.',
  examples: [
    ["streams change lane main --title 'All records'", 'changes the title'],
    ["streams change lane main --delta '0 5 * * *' --full-dump '0 3 1 * *'", 'has its dumps made by itself'],
  ],
  settings: ORGANIZATION_SETTINGS,

  options: addOptions,

  async run(call) {
    const [organization = '', stream = ''] = call.args;
    const { title } = call.options;
    const changes = { ...(title !== undefined && { title }), ...givenDumps(call.options) };
    if (Object.keys(changes).length === 0) throw nothingToChange(addOptions);
    const view = await changeOrganizations(call, async ({ records: { organizations } }) => {
      return streamView(await organizations.changeStream(organization, stream, changes), stream);
    });
    await call.terminal.print(`Changed the stream ${stream} of ${organization}.`, { organization, ...view });
    return EXIT.done;
  },
};

function addOptions(command: Command): void {
  command.option('--title <text>', 'what people call it; empty: nothing');
  addDumpOptions(command);
}
