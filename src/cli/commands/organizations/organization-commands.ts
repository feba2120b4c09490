import type { Command } from 'commander';
import { organizationView } from '../../../api/organization-view.ts';
import { streamStatisticsView } from '../../../api/stream-statistics-view.ts';
import { checkedFields, requireOrganizationId } from '../../../records/organization.ts';
import { streamStatistics } from '../../../records/stream-statistics.ts';
import type { CliCommand } from '../../cli-command.ts';
import { formatTable } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { addOrganizations, changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';
import { describeOrganization, describeStatistics, readingOf } from './describe-organization.ts';
import { addDumpOptions, type DumpOptions, givenDumps } from './dump-options.ts';
import { addMessageOptions, givenMessages, type MessageOptions } from './message-options.ts';
import { nothingToChange } from './nothing-to-change.ts';
import { addOrganizationOptions, givenFields, type OrganizationOptions } from './organization-options.ts';

export const organizationsAdd: CliCommand<OrganizationOptions> = {
  group: 'organizations',
  usage: 'add <organization>',
  summary: 'Adds an organization, which delivers files.',
  examples: [
    ["organizations add lane --title 'Lane Library'", 'adds one; its first upload makes its first stream'],
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
    call.terminal.say(
      `Its first upload makes its first stream: "tidemark upload ${id} FILE". A token for it: "tidemark tokens create --name NAME --scope upload:${id}".`,
    );
  },
};

export const organizationsList: CliCommand = {
  group: 'organizations',
  usage: 'list',
  summary: 'Lists the organizations.',
  examples: [['organizations list', 'lists them with their default streams']],

  async run(call) {
    const all = await withExistingApp(call, ({ records: { organizations } }) => organizations.list());
    const organizations = all.map((one) => organizationView(one));
    const rows = organizations.map((view) => {
      const { organization, streams, defaultStream = '(none)', title = '' } = view;
      return [organization, streams.length, defaultStream, readingOf(view), title];
    });
    const table = formatTable(['ORGANIZATION', 'STREAMS', 'DEFAULT', 'FOR', 'TITLE'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no organization.' : table, { organizations });
  },
};

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
  },
};

type Options = OrganizationOptions & DumpOptions & MessageOptions;

export const organizationsChange: CliCommand<Options> = {
  group: 'organizations',
  usage: 'change <organization>',
  summary:
    "Changes title, contacts, readers, normalization, dumps or messages of an organization. --title '' and --contact '' remove them.",
  examples: [
    ["organizations change lane --title 'Lane Library'", 'changes the title'],
    ["organizations change lane --contact 'Ada <ada@example.org>'", 'replaces all contacts by one'],
    ['organizations change lane --private --readers consortium', 'lets only some read what it delivers'],
    [
      "organizations change lane --delta '0 5 * * *' --full-dump '0 3 1 * *'",
      'has dumps of its records made by itself',
    ],
    ['organizations change lane --notify-mail on', 'sends its contacts mail when an upload has failed'],
    ['organizations change lane --normalization none', 'leaves records as they are from now on'],
  ],
  settings: ORGANIZATION_SETTINGS,

  options: addOptions,

  async run(call) {
    const fields = {
      ...givenFields(call.options),
      ...givenDumps(call.options),
      ...(await givenMessages(call.options, call.workingDirectory)),
    };
    if (Object.keys(fields).length === 0) throw nothingToChange(addOptions);
    const [id = ''] = call.args;
    const view = await changeOrganizations(call, async ({ records: { organizations } }) => {
      return organizationView(await organizations.change(id, fields));
    });
    if (fields.private) call.terminal.say('Copies that clients have made until now remain with them.');
    await call.terminal.print(`Changed the organization ${id}.`, view);
  },
};

function addOptions(command: Command): void {
  addOrganizationOptions(command);
  addDumpOptions(command, 'as for all organizations');
  addMessageOptions(command);
}
