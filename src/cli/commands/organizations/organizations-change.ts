import { organizationView } from '../../../api/organization-views.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';
import { addOrganizationOptions, givenFields, type OrganizationOptions } from './organization-options.ts';

export const organizationsChange: CliCommand<OrganizationOptions> = {
  group: 'organizations',
  usage: 'change <organization>',
  summary:
    "Changes title, contacts, readers or normalization of an organization. --title '' and --contact '' remove them.",
  examples: [
    ["organizations change lane --title 'Lane Library'", 'changes the title'],
    ["organizations change lane --contact 'Ada <ada@example.org>'", 'replaces all contacts by one'],
    ['organizations change lane --private --readers consortium', 'lets only some read what it delivers'],
    ['organizations change lane --normalization none', 'leaves records as they are from now on'],
  ],
  settings: ORGANIZATION_SETTINGS,

  options: addOrganizationOptions,

  async run(call) {
    const fields = givenFields(call.options);
    if (Object.keys(fields).length === 0) {
      throw new TidemarkError(
        'invalid',
        'give something to change: --title TEXT, --contact CONTACT, --private, --public, --readers GROUP or --normalization KIND',
      );
    }
    const [id = ''] = call.args;
    const view = await changeOrganizations(call, async ({ organizations }) => {
      return organizationView(await organizations.change(id, fields));
    });
    if (fields.private) call.terminal.say('Copies that clients have made until now remain with them.');
    await call.terminal.print(`Changed the organization ${id}.`, view);
    return EXIT.done;
  },
};
