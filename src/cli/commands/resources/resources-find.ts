import type { ResourceSet } from '../../../core/resource-set.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { withExistingApp } from '../../with-app.ts';
import { resourceLine } from './resource-line.ts';

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
    const { terminal, args, options } = call;
    await withExistingApp(call, async ({ sets, index }) => {
      const set = await sets.bySlug(args[0]!);
      const printed = await printFound(call, { set, index });
      if (printed === 0) terminal.say('No resource was found.');
      if (printed === options.limit) terminal.say(`These are the first ${printed}; --limit prints more.`);
    });
    return EXIT.done;
  },
};

interface Found {
  readonly set: ResourceSet;
  readonly index: Pick<ResourceStates, 'find'>;
}

async function printFound({ terminal, args, options, stopped }: Call<Options>, { set, index }: Found): Promise<number> {
  let printed = 0;
  for (let after: string | undefined; printed < options.limit; ) {
    stopped.throwIfAborted();
    const limit = Math.min(PER_SEARCH, options.limit - printed);
    const { resources, next } = await index.find(set.id, { part: args[1]!, after, limit });
    await terminal.write(resources.map((resource) => resourceLine(set, resource, terminal.json)).join(''));
    printed += resources.length;
    if (next === undefined) break;
    after = next;
  }
  return printed;
}
