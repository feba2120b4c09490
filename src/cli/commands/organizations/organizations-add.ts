import { organizationView } from '../../../api/organization-views.ts';
import { checkedFields, requireOrganizationId } from '../../../records/organization.ts';
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { addOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';
import { addOrganizationOptions, givenFields, type OrganizationOptions } from './organization-options.ts';

export const organizationsAdd: CliCommand<OrganizationOptions> = {
  group: 'organizations',
  usage: 'add <organization>',
  summary: 'Adds an organization, which delivers files.',
  examples: [
    ["organizations add lane --title 'Lane Library'", 'adds one; then make its first stream'],
    ["organizations add lane --contact 'Ada <ada@example.org>'", 'with whom to ask'],
    [
      'organizations add lane --normalization pod --code CSt --items 999:i=i,a=a,m=m',
      'adds to its records who delivered them, and their items',
    ],
  ],
  settings: ORGANIZATION_SETTINGS,

  options: addOrganizationOptions,

  async run(call) {
    const [id = ''] = call.args;
    // Checked before a store is opened, so that a mistake leaves no store behind.
    requireOrganizationId(id);
    const fields = checkedFields({ contacts: [], ...givenFields(call.options) });
    const view = organizationView(
      await addOrganizations(call, ({ records: { organizations } }) => organizations.add(id, fields)),
    );
    await call.terminal.print(`Added the organization ${id}.`, view);
    call.terminal.say(`Make its first stream, the default: "tidemark streams add ${id} STREAM".`);
    return EXIT.done;
  },
};
