import { resourceView } from '../../api/resource-view.ts';
import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatStamp } from '../../core/stamp.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { wholeNumber } from '../options.ts';
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

/** Formats a resource as a line for people, or of JSON. */
function resourceLine(set: ResourceSet, resource: Resource, json: boolean): string {
  if (json) return `${JSON.stringify(resourceView(set, resource))}\n`;
  return `${formatStamp(resource.stamp)}  ${resource.key}\n`;
}
