import type { Command } from 'commander';
import { organizationView } from '../../../api/organization-views.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';
import { addDumpOptions, type DumpOptions, givenDumps } from './dump-options.ts';
import { nothingToChange } from './nothing-to-change.ts';
import { addOrganizationOptions, givenFields, type OrganizationOptions } from './organization-options.ts';

type Options = OrganizationOptions & DumpOptions;

export const organizationsChange: CliCommand<Options> = {
  group: 'organizations',
  usage: 'change <organization>',
  summary:
    "Changes title, contacts, readers, normalization or dumps of an organization. --title '' and --contact '' remove them.",
  examples: [
    ["organizations change lane --title 'Lane Library'", 'changes the title'],
    ["organizations change lane --contact 'Ada <ada@example.org>'", 'replaces all contacts by one'],
    ['organizations change lane --private --readers consortium', 'lets only some read what it delivers'],
    [
      "organizations change lane --delta '0 5 * * *' --full-dump '0 3 1 * *'",
      'has dumps of its records made by itself',
    ],
    ['organizations change lane --normalization none', 'leaves records as they are from now on'],
  ],
  settings: ORGANIZATION_SETTINGS,

  options: addOptions,

  async run(call) {
    const fields = { ...givenFields(call.options), ...givenDumps(call.options) };
    if (Object.keys(fields).length === 0) throw nothingToChange(addOptions);
    const [id = ''] = call.args;
    const view = await changeOrganizations(call, async ({ records: { organizations } }) => {
      return organizationView(await organizations.change(id, fields));
    });
    if (fields.private) call.terminal.say('Copies that clients have made until now remain with them.');
    await call.terminal.print(`Changed the organization ${id}.`, view);
    return EXIT.done;
  },
};

function addOptions(command: Command): void {
  addOrganizationOptions(command);
  addDumpOptions(command);
}
