import { fieldsOf } from '../../api/record-versions.ts';
import { resourceView } from '../../api/resource-view.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { boundaryAfter, formatStamp, type Stamp } from '../../core/stamp.ts';
import { fieldText } from '../../records/readable/readable-record.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { timestamp, wholeNumber } from '../options.ts';
import { printableLine } from '../ui/printable.ts';
import { withExistingApp } from '../with-app.ts';

export const resourcesList: CliCommand = {
  group: 'resources',
  usage: 'list <id>',
  summary: 'Lists all resources in the order of their paths or URIs, one a line, with the time of the last change.',
  examples: [['resources list maps', 'lists what the set has now']],

  async run(call) {
    const { terminal, args, stopped } = call;
    await withExistingApp(call, async ({ sets, index }) => {
      const set = await sets.bySlug(args[0]!);
      for await (const batch of index.read(set.id, {})) {
        stopped.throwIfAborted();
        await terminal.write(batch.map((resource) => resourceLine(set, resource, terminal.json)).join(''));
      }
    });
  },
};

interface Options {
  readonly limit: number;
}

const PER_SEARCH = 1_000;

export const resourcesFind: CliCommand<Options> = {
  group: 'resources',
  usage: 'find <id> <text>',
  summary: 'Finds resources by a part of their path or URI; a text that begins with / is the beginning of the path.',
  examples: [['resources find maps alps', 'lists the resources whose path contains a text']],

  options(command) {
    command.option('--limit <n>', 'stop after so many', wholeNumber(1, 1_000_000_000), 100);
  },

  async run(call) {
    const { terminal, args } = call;
    await withExistingApp(call, async ({ sets, index }) => {
      const set = await sets.bySlug(args[0]!);
      const { printed, hasMore } = await printFound(call, { set, index });
      if (printed === 0) terminal.say('No resource was found.');
      if (hasMore) terminal.say(`These are the first ${printed}; --limit prints more.`);
    });
  },
};

interface Found {
  readonly set: ResourceSet;
  readonly index: Pick<ResourceStates, 'find'>;
}

interface Printed {
  readonly printed: number;
  readonly hasMore: boolean;
}

async function printFound(
  { terminal, args, options, stopped }: Call<Options>,
  { set, index }: Found,
): Promise<Printed> {
  let printed = 0;
  for (let after: string | undefined; ; ) {
    stopped.throwIfAborted();
    const left = options.limit - printed;
    // One more than is printed shows whether there are more.
    const limit = Math.min(PER_SEARCH, left + 1);
    const { resources, next } = await index.find(set.id, { part: args[1]!, after, limit });
    const shown = resources.slice(0, left);
    await terminal.write(shown.map((resource) => resourceLine(set, resource, terminal.json)).join(''));
    printed += shown.length;
    if (resources.length > left) return { printed, hasMore: true };
    if (next === undefined) return { printed, hasMore: false };
    after = next;
  }
}

interface ShowOptions {
  readonly at?: Stamp;
}

export const resourcesShow: CliCommand<ShowOptions> = {
  group: 'resources',
  usage: 'show <id> <key>',
  summary: 'Prints a record as people read it, a field a line: as it is now, or as it was after a change.',
  examples: [
    ['resources show lane /a1', 'prints the record with the id a1'],
    ['resources show lane /a1 --at 2026-11-24T15:00:00Z', 'as it was at that time'],
  ],
  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command.option('--at <time>', 'as it was at this time, or at the end of this day', timestamp('last'));
  },

  async run(call) {
    const { terminal, args, options } = call;
    await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(args[0]!);
      const key = args[1]!;
      const before = options.at === undefined ? undefined : boundaryAfter(options.at);
      const [version] = await app.index.history(set.id, key, { before, limit: 1 });
      if (version?.state === undefined) throw noRecord(key, version !== undefined);
      const fields = (await fieldsOf(app, set, version)) ?? 'It is no record in a form that can be shown here.';
      if (typeof fields === 'string') throw new TidemarkError('not-found', fields.replace(/\.$/, ''), { key });
      const datetime = formatStamp(version.stamp);
      if (terminal.json) await terminal.write(`${JSON.stringify({ key, datetime, fields: fields.map(fieldText) })}\n`);
      else await terminal.write(fields.map((field) => `${printableLine(fieldText(field))}\n`).join(''));
    });
  },
};

function noRecord(key: string, isDeleted: boolean): TidemarkError {
  const what = isDeleted ? `${key} was deleted then: --at prints it as it was before` : `there is no resource ${key}`;
  return new TidemarkError('not-found', `${what}. Keys begin with a slash`, { key });
}

/** Formats a resource as a line for people, or of JSON. */
function resourceLine(set: ResourceSet, resource: Resource, json: boolean): string {
  if (json) return `${JSON.stringify(resourceView(set, resource))}\n`;
  return `${formatStamp(resource.stamp)}  ${resource.key}\n`;
}
