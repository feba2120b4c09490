import type { Command } from 'commander';
import { organizationView, streamView } from '../../../api/organization-view.ts';
import { streamDumpsView, streamDumpView } from '../../../api/stream-dump-view.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { StreamDump } from '../../../records/dumps/stored-stream-dump.ts';
import { streamText } from '../../../records/stream-set-names.ts';
import type { CliCommand } from '../../cli-command.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';
import { changeOrganizations, ORGANIZATION_SETTINGS } from '../../with-organizations.ts';
import { describeDumps, streamTable } from './describe-organization.ts';
import { addDumpOptions, type DumpOptions, givenDumps } from './dump-options.ts';
import { nothingToChange } from './nothing-to-change.ts';

interface AddOptions {
  readonly title?: string;
}

export const streamsAdd: CliCommand<AddOptions> = {
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
  },
};

export const streamsList: CliCommand = {
  group: 'streams',
  usage: 'list <organization>',
  summary: 'Lists the streams of an organization.',
  examples: [['streams list lane', 'lists them in the order in which they were made']],

  async run(call) {
    const { organization, streams } = await withExistingApp(call, async ({ records: { organizations } }) => {
      return organizationView(await organizations.get(call.args[0]!));
    });
    await call.terminal.print(streamTable(streams), { organization, streams });
  },
};

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
  },
};

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
  },
};

interface ArchiveOptions {
  readonly undo?: true;
}

export const streamsArchive: CliCommand<ArchiveOptions> = {
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
  },
};

interface ChangeOptions extends DumpOptions {
  readonly title?: string;
}

export const streamsChange: CliCommand<ChangeOptions> = {
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
  },
};

function addOptions(command: Command): void {
  command.option('--title <text>', 'what people call it; empty: nothing');
  addDumpOptions(command, 'off');
}

interface DumpStreamOptions {
  readonly stream?: string;
  readonly full?: true;
  readonly delta?: true;
}

export const streamsDump: CliCommand<DumpStreamOptions> = {
  group: 'streams',
  usage: 'dump <organization>',
  summary: 'Makes a delta of the records of a stream, or with --full a full dump, which waits for uploads under way.',
  examples: [
    ['streams dump lane', 'what has changed since the last delta; the first time, a full dump'],
    ['streams dump lane --full', 'a full dump, and a delta up to it'],
    ['streams dump lane --stream test', 'of a stream that is not the default one'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command
      .option('--stream <stream>', 'the stream (default: whichever is the default one)')
      .option('--full', 'make a full dump')
      .option('--delta', 'make a delta (the default)');
  },

  async run(call) {
    const { full, delta, stream } = call.options;
    if (full && delta) throw new TidemarkError('invalid', 'give --full or --delta, not both');
    const [organization = ''] = call.args;
    const name = { organization, ...(stream !== undefined && { stream }) };
    const bar = startCountBar(call.terminal);
    const made = await withExistingApp(call, async ({ records: { organizations, streamDumps } }) => {
      await organizations.requireDumped(organization, stream);
      return streamDumps
        .build(name, full ? 'full' : 'delta', {
          signal: call.stopped,
          onWaiting: (reason) => bar.waits(reason),
          onProgress: ({ done, total, text }) => bar.update(text, done, total ?? done),
        })
        .catch(throwAsNotReady);
    }).finally(() => bar.end());
    const lines = made.map(describe);
    const text = lines.length === 0 ? 'Nothing has changed since the last dump: none was made.' : lines.join('\n');
    const dumps = made.map((dump) => streamDumpView(dump));
    await call.terminal.print(`${streamText(name)}: ${text}`, { ...name, dumps });
  },
};

/** An upload in progress, or a dump of another process, is not wrong usage: the same command may succeed later. */
function throwAsNotReady(error: unknown): never {
  if (!isTidemarkError(error, 'conflict')) throw error;
  throw new TidemarkError('not-ready', error.message, error.details, error);
}

function describe({ number, kind, totals, files }: StreamDump): string {
  const { records, deletions, errata } = totals;
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  const what = [plural(records, 'record'), ...(kind === 'delta' ? [plural(deletions, 'deletion')] : [])];
  const wrong = errata === 0 ? [] : [errata === 1 ? '1 erratum' : `${errata} errata`];
  const title = kind === 'full' ? 'full dump' : 'delta';
  return `${title} ${number}: ${[...what, ...wrong].join(', ')}, ${plural(files.length, 'file')}, ${formatBytes(bytes)}.`;
}

interface DumpsOptions {
  readonly stream?: string;
}

export const streamsDumps: CliCommand<DumpsOptions> = {
  group: 'streams',
  usage: 'dumps <organization>',
  summary: 'Lists the full dumps and deltas of a stream, oldest first.',
  examples: [
    ['streams dumps lane', 'lists those of the default stream'],
    ['streams dumps lane --json', 'with the names, digests and addresses of their files'],
  ],

  options(command) {
    command.option('--stream <stream>', 'the stream (default: whichever is the default one)');
  },

  async run(call) {
    const [organization = ''] = call.args;
    const { stream } = call.options;
    const view = await withExistingApp(call, async (app) => {
      await app.records.organizations.requireStream(organization, stream);
      return streamDumpsView({ organization, ...(stream !== undefined && { stream }) }, app);
    });
    const rows = view.dumps.map(({ number, kind, at, totals, files }) => {
      const bytes = files.reduce((sum, { length }) => sum + length, 0);
      return [number, kind, at.slice(0, 19), totals.records, totals.deletions, totals.errata, bytes];
    });
    const table = formatTable(['NUMBER', 'KIND', 'MADE (UTC)', 'RECORDS', 'DELETIONS', 'ERRATA', 'BYTES'], rows);
    const underWay = view.underWay.map(({ kind, job, since, text }) => {
      const what = kind === 'full' ? 'full dump' : 'delta';
      return `Under way: a ${what}, requested at ${since.slice(0, 19)}${text === undefined ? '' : ` (${text})`}: ${job}`;
    });
    await call.terminal.print([rows.length === 0 ? 'There is no dump.' : table, ...underWay].join('\n'), view);
  },
};
